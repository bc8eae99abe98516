import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { LogBatch } from '@countersign/event-log';
import type { LeafIntake } from './leaf-intake.js';
import type { ReportIntake } from './report-intake.js';

export const LEAF_INTAKE = Symbol('leaf intake');
export const REPORT_INTAKE = Symbol('report intake');

/** One call is one partition's batch. */
@Controller()
export class Consumers {
  constructor(
    @Inject(LEAF_INTAKE) private readonly leaves: LeafIntake,
    @Inject(REPORT_INTAKE) private readonly reports: ReportIntake,
  ) {}

  @EventPattern('agent-events')
  takeLeaves(@Payload() batch: LogBatch): Promise<void> {
    return this.leaves.take(batch);
  }

  @EventPattern('anchor-requests')
  takeReports(@Payload() batch: LogBatch): Promise<void> {
    return this.reports.take(batch);
  }
}
