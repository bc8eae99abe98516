import { isDeepStrictEqual } from 'node:util';
import type { SigningKeyFacts } from '@countersign/contracts';

/** Where a private key is: a file of this service, the external signer, or nowhere: then it signs no more. */
export type Custody = 'file' | 'signer' | 'none';

export interface RingKey {
  readonly id: string;
  /** Of `facts` in the topic `signing-keys`. */
  readonly version: number;
  readonly custody: Custody;
  readonly facts: SigningKeyFacts;
}

/** All signing keys that there ever were, oldest first. At most one is active. */
export type Ring = readonly RingKey[];

/** A change of the ring that cannot be made; nothing was changed. */
export class KeyChangeRefused extends Error {
  override readonly name = 'KeyChangeRefused';
}

/**
 * For so long a retired key stays valid, ms: a report that was begun with it is anchored and signed within it. An export
 * waits 20 s for its transaction; the rest is for a slow chain and for clocks that differ.
 */
export const OVERLAP_MS = 10 * 60 * 1000;

/** Block times may run behind this clock, and are whole seconds: a new key is valid from so long before it was made, ms. */
const EARLIER_MS = 60 * 1000;

/** A new key's `validFrom`. */
export function validSince(nowMs: number): string {
  return new Date(Math.floor((nowMs - EARLIER_MS) / 1000) * 1000).toISOString();
}

export function activeKey(ring: Ring): RingKey | null {
  return ring.find(({ facts }) => facts.status === 'active') ?? null;
}

/** Ids of keys whose private halves cannot be had where they were kept. */
export type LostKeys = ReadonlySet<string>;

const NONE: LostKeys = new Set();

/** The key that a rotation takes: of those that are published and wait, the oldest that is not lost. */
export function waitingKey(ring: Ring, lost: LostKeys = NONE): RingKey | null {
  return ring.find(({ id, facts }) => facts.status === 'published' && !lost.has(id)) ?? null;
}

/** Whether verifiers take the key for good now, and it may sign: its private half must be at hand. */
export function isInUse({ facts }: RingKey): boolean {
  return facts.status === 'active' || facts.status === 'published';
}

/** With a key that is published and signs nothing yet; unchanged where it is there. */
export function withKey(ring: Ring, key: Omit<RingKey, 'version' | 'facts'>, facts: SigningKeyFacts): Ring {
  if (ring.some(({ id }) => id === key.id)) return ring;
  return [...ring, { ...key, version: 1, facts }];
}

/**
 * The key signs from now on, and the one that did is retired.
 * @throws KeyChangeRefused unless it is published and waits
 */
export function withActive(ring: Ring, keyId: string, nowMs: number): Ring {
  const status = ring.find(({ id }) => id === keyId)?.facts.status;
  if (status === undefined) throw new KeyChangeRefused(`there is no key ${keyId}`);
  if (status !== 'published')
    throw new KeyChangeRefused(`${keyId} is ${status}: only a published key can take its turn`);
  return ring.map((key) => {
    if (key.id === keyId) return changed(key, { status: 'active' });
    if (key.facts.status !== 'active') return key;
    return changed(key, { status: 'retired', validTo: new Date(nowMs + OVERLAP_MS).toISOString() });
  });
}

/**
 * Nothing that the key signed verifies any more. Where it signed, the key that waits longest and is not lost signs from
 * now on.
 * @throws KeyChangeRefused where there is no such key, or it was revoked before
 */
export function withRevoked(ring: Ring, keyId: string, reason: string, nowMs: number, lost: LostKeys = NONE): Ring {
  const key = ring.find(({ id }) => id === keyId);
  if (key === undefined) throw new KeyChangeRefused(`there is no key ${keyId}`);
  if (key.facts.status === 'revoked') throw new KeyChangeRefused(`${keyId} was revoked before`);
  const revocation = { at: new Date(nowMs).toISOString(), reason };
  const without = ring.map((one) => (one.id === keyId ? changed(one, { status: 'revoked', revocation }) : one));
  const next = waitingKey(without, lost);
  return key.facts.status === 'active' && next !== null ? withActive(without, next.id, nowMs) : without;
}

/** Lost keys that sign no more verify only: nobody looks for their private halves again. */
export function withoutLost(ring: Ring, lost: LostKeys): Ring {
  return ring.map((key) => (lost.has(key.id) && !isInUse(key) ? { ...key, custody: 'none' } : key));
}

function changed(key: RingKey, facts: Partial<SigningKeyFacts>): RingKey {
  return { ...key, version: key.version + 1, facts: { ...key.facts, ...facts } };
}

/** What is known of keys beside the ring. */
export interface KnownKeys {
  /** What the topic says, by key id; `value: null`: it is gone. */
  readonly told: ReadonlyMap<string, { readonly version: number; readonly value: SigningKeyFacts | null }>;
  /** Keys whose files lie in the folder. */
  readonly files: readonly { readonly id: string; readonly publicKeyHex: string; readonly validFrom: string }[];
}

/**
 * The ring with what a crash, an older copy of the folder or an earlier release left beside it. What the topic says in a
 * higher version stands: a key that was retired or revoked there never comes back.
 * A file that nobody was told of becomes a published key; in an empty ring the newest of them signs.
 */
export function reconciled(ring: Ring, { told, files }: KnownKeys): Ring {
  const known = ring.map((key) => reconciledKey(key, told.get(key.id)));
  const names = new Set(ring.map(({ id }) => id));
  const fileOf = new Map(files.map((file) => [file.id, file]));
  const ofTopic = [...told].flatMap(([id, { version, value }]): RingKey[] =>
    value === null || names.has(id) ? [] : [{ id, version, custody: fileOf.has(id) ? 'file' : 'none', facts: value }],
  );
  const untold = files.filter(({ id }) => !names.has(id) && (told.get(id)?.value ?? null) === null);
  const ofFiles = untold.map(({ id, publicKeyHex, validFrom }): RingKey => {
    const facts = { publicKeyHex, status: 'published', validFrom, validTo: null } as const;
    return { id, version: (told.get(id)?.version ?? 0) + 1, custody: 'file', facts };
  });
  const added = [...ofTopic, ...ofFiles].sort(byAge);
  if (added.length === 0) return known;
  const all = [...known, ...added];
  const newest = ofFiles.sort(byAge).at(-1);
  if (ring.length > 0 || newest === undefined || activeKey(all) !== null) return all;
  return all.map((key) => (key.id === newest.id ? { ...key, facts: { ...key.facts, status: 'active' } } : key));
}

function reconciledKey(key: RingKey, told: { version: number; value: SigningKeyFacts | null } | undefined): RingKey {
  if (told === undefined || told.version < key.version) return key;
  if (told.version > key.version) {
    // Only this service writes the topic, and takes no key out of it: what is gone there is told again.
    return told.value === null
      ? { ...key, version: told.version + 1 }
      : { ...key, version: told.version, facts: told.value };
  }
  if (told.value !== null && (told.value.status === 'revoked' || isDeepStrictEqual(told.value, key.facts))) {
    return { ...key, facts: told.value };
  }
  return { ...key, version: key.version + 1 };
}

function byAge(a: RingKey, b: RingKey): number {
  const [x, y] = [`${a.facts.validFrom ?? ''}${a.id}`, `${b.facts.validFrom ?? ''}${b.id}`];
  return x < y ? -1 : x > y ? 1 : 0;
}
