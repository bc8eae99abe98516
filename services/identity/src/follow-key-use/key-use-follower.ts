import { readMessage } from '@countersign/evidence';
import type { TopicName } from '@countersign/contracts';
import type { LogBatch } from '@countersign/event-log';
import { deadLetter } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import type { IdentityStore } from '../store/port.js';

export const GROUP = 'identity';

/** Follows `agent-events` for the last use of each API key: one write per batch; a redelivered batch changes nothing. */
export class KeyUseFollower {
  constructor(
    private readonly context: ServiceContext,
    private readonly store: IdentityStore,
  ) {}

  position(_topic: TopicName, partition: number): Promise<number | null> {
    return this.store.position(partition);
  }

  async handle(batch: LogBatch): Promise<void> {
    const last = batch.records.at(-1);
    if (last === undefined) return;
    const usedAt = new Map<string, string>();
    for (const record of batch.records) {
      const envelope = readMessage(record.value);
      if (!envelope.ok) {
        await deadLetter(this.context, GROUP, record, envelope.problem);
        continue;
      }
      const { apiKeyId, leaf } = envelope.value;
      if (apiKeyId !== null && leaf.occurredAt > (usedAt.get(apiKeyId) ?? '')) usedAt.set(apiKeyId, leaf.occurredAt);
    }
    await this.store.used(batch.partition, last.offset + 1, usedAt);
  }
}
