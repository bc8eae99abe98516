import type { SigningKeyFacts } from '@countersign/contracts';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { newestRecords, versionedRecord } from '@countersign/topics';
import type { Newest } from '@countersign/topics';
import type { Ring } from './ring.js';

/** `value: null`: it is gone. */
export type PublishedKey = Newest<SigningKeyFacts>;

/** What the topic `signing-keys` says now, by key id. */
export function publishedKeys(log: EventLog): Promise<ReadonlyMap<string, PublishedKey>> {
  return newestRecords<SigningKeyFacts>(log, 'signing-keys');
}

/** Keys that whoever verifies takes for good now, and that may sign: their private halves must be at hand. */
export function keysInUse(published: ReadonlyMap<string, PublishedKey>): readonly string[] {
  return [...published].flatMap(([id, { value }]) =>
    value?.status === 'active' || value?.status === 'published' ? [id] : [],
  );
}

/** The messages that make the topic say what the ring does; none where it says it already, or something newer. */
export function keysToPublish(ring: Ring, published: ReadonlyMap<string, PublishedKey>): readonly NewRecord[] {
  return ring.flatMap(({ id, version, facts }) =>
    version > (published.get(id)?.version ?? 0)
      ? [versionedRecord<SigningKeyFacts>('signing-keys', id, version, facts)]
      : [],
  );
}
