import { Controller, Inject } from '@nestjs/common';
import { outcomeRoutes } from '@countersign/contracts';
import type { OutcomeReport } from '@countersign/contracts';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { OUTCOME_HANDLER } from '../tokens.js';
import type { OutcomeHandler } from '../report-outcome/outcome-handler.js';

@Controller()
export class ReportOutcomeController {
  constructor(@Inject(OUTCOME_HANDLER) private readonly handler: OutcomeHandler) {}

  @HttpRoute(outcomeRoutes.reportOutcome)
  async report(
    @Input() { body, caller }: RouteInput<OutcomeReport, unknown, ApiKeyCaller>,
  ): Promise<{ readonly eventId: string }> {
    return { eventId: await this.handler.report(caller, body) };
  }
}
