import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { QueryOf } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { OpenSessions } from '../sign-in/open-sessions.js';
import { idOf } from './paths.js';
import { OPEN_SESSIONS } from './tokens.js';

@Controller()
export class SessionsController {
  constructor(@Inject(OPEN_SESSIONS) private readonly sessions: OpenSessions) {}

  @HttpRoute(identityRoutes.listSessions)
  async list(
    @Input() { caller, query }: RouteInput<unknown, QueryOf<typeof identityRoutes.listSessions>>,
  ): Promise<object> {
    const { limit, offset, userId = caller.userId } = query;
    const { items, total } = await this.sessions.of(caller, userId.toLowerCase(), limit, offset);
    return { sessions: items, total, limit, offset };
  }

  @HttpRoute(identityRoutes.endSession)
  end(@Input() { caller, params, remoteAddress }: RouteInput): Promise<void> {
    return this.sessions.end(caller, idOf(params), remoteAddress);
  }
}
