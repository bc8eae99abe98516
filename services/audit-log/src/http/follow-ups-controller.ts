import { Controller, Inject } from '@nestjs/common';
import { followUpRoutes, type FollowUpBody, type FollowUpsQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { FollowUps } from '../follow-ups/follow-ups.js';
import { FOLLOW_UPS } from '../tokens.js';

@Controller()
export class FollowUpsController {
  constructor(@Inject(FOLLOW_UPS) private readonly followUps: FollowUps) {}

  @HttpRoute(followUpRoutes.followUp)
  add(@Input() { caller, body }: RouteInput<FollowUpBody>): Promise<unknown> {
    return this.followUps.add(caller, body);
  }

  @HttpRoute(followUpRoutes.listFollowUps)
  list(@Input() { caller, query }: RouteInput<unknown, FollowUpsQuery>): Promise<unknown> {
    return this.followUps.list(caller.accountId, query);
  }
}
