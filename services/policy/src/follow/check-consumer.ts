import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { LogBatch } from '@countersign/event-log';
import { CHECK_FOLLOWER } from '../http/tokens.js';
import type { CheckFollower } from './check-follower.js';

/** Gets one batch of one partition in each call. */
@Controller()
export class CheckConsumer {
  constructor(@Inject(CHECK_FOLLOWER) private readonly follower: CheckFollower) {}

  @EventPattern('agent-events')
  on(@Payload() batch: LogBatch): Promise<void> {
    return this.follower.handle(batch);
  }
}
