import { Controller, Inject } from '@nestjs/common';
import { accessRequestRoutes } from '@countersign/contracts';
import type { AccessSubmission } from '@countersign/contracts';
import { HttpAnswer } from '@countersign/http-edge';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { AccessRequests } from '../decide-approval/access-requests.js';
import { ACCESS_REQUESTS } from './tokens.js';

/** Seconds between two looks at a task that waits for a person. */
const RETRY_AFTER = '5';

@Controller()
export class AccessRequestsController {
  constructor(@Inject(ACCESS_REQUESTS) private readonly requests: AccessRequests) {}

  @HttpRoute(accessRequestRoutes.requestAccess)
  async request(
    @Input() { body, headers, caller }: RouteInput<AccessSubmission, unknown, ApiKeyCaller>,
  ): Promise<object> {
    const key = headers['idempotency-key'];
    const answer = await this.requests.submit(caller, body, typeof key === 'string' ? key : null);
    const { status, status_endpoint: location } = answer.task;
    return new HttpAnswer(status === 'pending' ? 202 : 201, answer, { location });
  }

  @HttpRoute(accessRequestRoutes.getAccessTask)
  async task(@Input() { params, caller }: RouteInput<unknown, unknown, ApiKeyCaller>): Promise<object> {
    const answer = await this.requests.task(caller, params['taskId']!);
    return new HttpAnswer(200, answer, answer.task.status === 'pending' ? { 'retry-after': RETRY_AFTER } : {});
  }

  @HttpRoute(accessRequestRoutes.accessKeys)
  keys(): object {
    return new HttpAnswer(200, this.requests.keys(), { 'cache-control': 'public, max-age=3600' });
  }
}
