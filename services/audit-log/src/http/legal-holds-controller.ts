import { Controller, Inject } from '@nestjs/common';
import { legalHoldRoutes, type NewHoldBody, type PageQuery, type ReleaseHoldBody } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { LegalHolds } from '../legal-holds/legal-holds.js';
import { LEGAL_HOLDS } from '../tokens.js';

@Controller()
export class LegalHoldsController {
  constructor(@Inject(LEGAL_HOLDS) private readonly holds: LegalHolds) {}

  @HttpRoute(legalHoldRoutes.placeLegalHold)
  place(@Input() { caller, body }: RouteInput<NewHoldBody>): Promise<unknown> {
    return this.holds.place(caller, body);
  }

  @HttpRoute(legalHoldRoutes.listLegalHolds)
  list(@Input() { caller, query }: RouteInput<unknown, PageQuery>): Promise<unknown> {
    return this.holds.list(caller, query.limit, query.offset);
  }

  @HttpRoute(legalHoldRoutes.getLegalHold)
  get(@Input() { caller, params }: RouteInput): Promise<unknown> {
    return this.holds.get(caller, params['id']!.toLowerCase());
  }

  @HttpRoute(legalHoldRoutes.releaseLegalHold)
  release(@Input() { caller, params, body }: RouteInput<ReleaseHoldBody>): Promise<unknown> {
    return this.holds.release(caller, params['id']!.toLowerCase(), body.reason);
  }
}
