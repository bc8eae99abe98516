import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { LogBatch } from '@countersign/event-log';
import { FOLLOWER } from '../tokens.js';
import type { ViolationFollower } from './violation-follower.js';

/** Each call is a batch of one partition. */
@Controller()
export class ViolationConsumer {
  constructor(@Inject(FOLLOWER) private readonly follower: ViolationFollower) {}

  @EventPattern('agent-events')
  on(@Payload() batch: LogBatch): Promise<void> {
    return this.follower.handle(batch);
  }
}
