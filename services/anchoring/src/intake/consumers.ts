import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { LogBatch } from '@countersign/event-log';

export const INTAKE = Symbol('intake');

/** Takes a batch, or rejects: then it is redelivered. */
export interface Intake {
  takeLeaves(batch: LogBatch): Promise<void>;
  takeReports(batch: LogBatch): Promise<void>;
}

/** One call is one partition's batch. */
@Controller()
export class Consumers {
  constructor(@Inject(INTAKE) private readonly intake: Intake) {}

  @EventPattern('agent-events')
  takeLeaves(@Payload() batch: LogBatch): Promise<void> {
    return this.intake.takeLeaves(batch);
  }

  @EventPattern('anchor-requests')
  takeReports(@Payload() batch: LogBatch): Promise<void> {
    return this.intake.takeReports(batch);
  }
}
