import { isDeepStrictEqual } from 'node:util';
import type { SigningKeyFacts } from '@countersign/contracts';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { newestTold, versionedRecord, type Told } from '@countersign/service-kit';
import { SigningKeyMissing, type KeyRing } from './key-ring.js';

/** `value: null`: it is gone. */
export type PublishedKey = Told<SigningKeyFacts>;

/** What the topic `signing-keys` says now, by key id. */
export function publishedKeys(log: EventLog): Promise<ReadonlyMap<string, PublishedKey>> {
  return newestTold<SigningKeyFacts>(log, 'signing-keys');
}

/** Keys that whoever verifies takes for good now: their files must be at hand. */
export function keysInUse(published: ReadonlyMap<string, PublishedKey>): readonly string[] {
  return [...published].flatMap(([id, { value }]) =>
    value?.status === 'active' || value?.status === 'published' ? [id] : [],
  );
}

/**
 * The messages that make the topic say what the ring does; none where it does already.
 * @throws SigningKeyMissing where an active or published key is not in the ring: its file was lost, or this instance
 *   has another folder than the one that made it
 */
export function keysToPublish(ring: KeyRing, published: ReadonlyMap<string, PublishedKey>): readonly NewRecord[] {
  const missing = keysInUse(published).find((id) => !ring.has(id));
  if (missing !== undefined) throw new SigningKeyMissing(missing, ring.directory);
  return ring.facts().flatMap(({ id, value }) => {
    const known = published.get(id);
    // What was revoked stays so: the file alone does not make a key good again.
    if (known?.value?.status === 'revoked' || isDeepStrictEqual(known?.value, value)) return [];
    return [versionedRecord<SigningKeyFacts>('signing-keys', id, (known?.version ?? 0) + 1, value)];
  });
}
