import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { LogBatch } from '@countersign/event-log';
import { ANCHOR_INTAKE, EVENT_INTAKE } from '../tokens.js';
import type { AnchorIntake } from './anchor-intake.js';
import type { EventIntake } from './event-intake.js';

/** One call is one partition's batch. */
@Controller()
export class Consumers {
  constructor(
    @Inject(EVENT_INTAKE) private readonly events: EventIntake,
    @Inject(ANCHOR_INTAKE) private readonly anchors: AnchorIntake,
  ) {}

  @EventPattern('agent-events')
  takeEvents(@Payload() batch: LogBatch): Promise<void> {
    return this.events.take(batch);
  }

  @EventPattern('anchors')
  takeAnchors(@Payload() batch: LogBatch): Promise<void> {
    return this.anchors.take(batch);
  }
}
