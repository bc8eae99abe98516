import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { LogBatch } from '@countersign/event-log';
import { KEY_USE_FOLLOWER } from '../http/tokens.js';
import type { KeyUseFollower } from './key-use-follower.js';

/** Each call is a batch of one partition. */
@Controller()
export class KeyUseConsumer {
  constructor(@Inject(KEY_USE_FOLLOWER) private readonly follower: KeyUseFollower) {}

  @EventPattern('agent-events')
  on(@Payload() batch: LogBatch): Promise<void> {
    return this.follower.handle(batch);
  }
}
