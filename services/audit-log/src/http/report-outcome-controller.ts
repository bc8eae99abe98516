import { Controller, Inject } from '@nestjs/common';
import { outcomeRoutes } from '@countersign/contracts';
import type { OutcomeReport } from '@countersign/contracts';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { OUTCOME_DESK } from '../tokens.js';
import type { OutcomeDesk } from '../report-outcome/outcome-desk.js';

@Controller()
export class ReportOutcomeController {
  constructor(@Inject(OUTCOME_DESK) private readonly desk: OutcomeDesk) {}

  @HttpRoute(outcomeRoutes.reportOutcome)
  async report(
    @Input() { body, caller }: RouteInput<OutcomeReport, unknown, ApiKeyCaller>,
  ): Promise<{ readonly eventId: string }> {
    return { eventId: await this.desk.report(caller, body) };
  }
}
