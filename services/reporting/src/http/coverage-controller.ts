import { Controller, Inject } from '@nestjs/common';
import { coverageRoutes, type Coverage, type CoverageQuery, type CoveringEventsQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { COVERAGES, type Coverages } from '../count-coverage/coverages.js';

@Controller()
export class CoverageController {
  readonly #coverages: Coverages;
  constructor(@Inject(COVERAGES) coverages: Coverages) {
    this.#coverages = coverages;
  }

  @HttpRoute(coverageRoutes.coverage)
  count(@Input() { caller, query }: RouteInput<unknown, CoverageQuery>): Promise<Coverage> {
    return this.#coverages.count(caller.accountId, query);
  }

  @HttpRoute(coverageRoutes.coveringEvents)
  events(@Input() { caller, query }: RouteInput<unknown, CoveringEventsQuery>): Promise<unknown> {
    return this.#coverages.events(caller.accountId, query);
  }
}
