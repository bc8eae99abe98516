import type { SigningKeyFacts } from '@countersign/contracts';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { newestRecords, versionedRecord } from '@countersign/topics';
import type { Newest } from '@countersign/topics';
import type { Ring } from './ring.js';

/** `value: null`: it was removed. */
export type PublishedKey = Newest<SigningKeyFacts>;

/** The current state of the topic `signing-keys`, by key id. */
export function publishedKeys(log: EventLog): Promise<ReadonlyMap<string, PublishedKey>> {
  return newestRecords<SigningKeyFacts>(log, 'signing-keys');
}

/** Keys that verifiers accept now, and that may sign: their private halves must be available. */
export function keysInUse(published: ReadonlyMap<string, PublishedKey>): readonly string[] {
  return [...published].flatMap(([id, { value }]) =>
    value?.status === 'active' || value?.status === 'published' ? [id] : [],
  );
}

/** The records that bring the topic up to the ring; none if it is up to date, or has something newer. */
export function keysToPublish(ring: Ring, published: ReadonlyMap<string, PublishedKey>): readonly NewRecord[] {
  return ring.flatMap(({ id, version, facts }) =>
    version > (published.get(id)?.version ?? 0)
      ? [versionedRecord<SigningKeyFacts>('signing-keys', id, version, facts)]
      : [],
  );
}
