import { isDeepStrictEqual } from 'node:util';
import type { SigningKeyFacts } from '@countersign/contracts';

/** Location of a private key: a file of this service, the external signer, or none: then it no longer signs. */
export type Custody = 'file' | 'signer' | 'none';

export interface RingKey {
  readonly id: string;
  /** Version of `facts` in the topic `signing-keys`. */
  readonly version: number;
  readonly custody: Custody;
  readonly facts: SigningKeyFacts;
}

/** All signing keys ever created, oldest first. At most one is active. */
export type Ring = readonly RingKey[];

/** A change of the ring that is not allowed; nothing was changed. */
export class KeyChangeRefused extends Error {
  override readonly name = 'KeyChangeRefused';
}

/**
 * How long a retired key stays valid, ms: a report that was begun with it is anchored and signed within it. An export
 * waits 20 s for its transaction; the rest is for a slow chain and for clock differences.
 */
export const OVERLAP_MS = 10 * 60 * 1000;

/** Block times may be behind this clock, and are whole seconds: a new key is valid from this long before its creation, ms. */
const EARLIER_MS = 60 * 1000;

/** A new key's `validFrom`. */
export function validSince(nowMs: number): string {
  return new Date(Math.floor((nowMs - EARLIER_MS) / 1000) * 1000).toISOString();
}

export function activeKey(ring: Ring): RingKey | null {
  return ring.find(({ facts }) => facts.status === 'active') ?? null;
}

/** Ids of keys whose private halves are missing. */
export type LostKeys = ReadonlySet<string>;

const NONE: LostKeys = new Set();

/** The key for a rotation: the oldest published one that is not lost. */
export function waitingKey(ring: Ring, lost: LostKeys = NONE): RingKey | null {
  return ring.find(({ id, facts }) => facts.status === 'published' && !lost.has(id)) ?? null;
}

/** True if verifiers accept the key now, and it may sign: its private half must be available. */
export function isInUse({ facts }: RingKey): boolean {
  return facts.status === 'active' || facts.status === 'published';
}

/** Adds a key that is published and signs nothing yet; unchanged if it exists. */
export function withKey(ring: Ring, key: Omit<RingKey, 'version' | 'facts'>, facts: SigningKeyFacts): Ring {
  if (ring.some(({ id }) => id === key.id)) return ring;
  return [...ring, { ...key, version: 1, facts }];
}

/**
 * Makes the key active, and retires the active one.
 * @throws KeyChangeRefused unless it is published
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
 * Revokes the key: nothing that it signed verifies any more. If it was active, the oldest published key that is not lost
 * becomes active.
 * @throws KeyChangeRefused if there is no such key, or it was revoked before
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

/** Marks lost keys that no longer sign: their private halves are not looked for again. */
export function withoutLost(ring: Ring, lost: LostKeys): Ring {
  return ring.map((key) => (lost.has(key.id) && !isInUse(key) ? { ...key, custody: 'none' } : key));
}

function changed(key: RingKey, facts: Partial<SigningKeyFacts>): RingKey {
  return { ...key, version: key.version + 1, facts: { ...key.facts, ...facts } };
}

/** Knowledge about keys outside of the ring. */
export interface KnownKeys {
  /** State of the topic, by key id; `value: null`: it was removed. */
  readonly published: ReadonlyMap<string, { readonly version: number; readonly value: SigningKeyFacts | null }>;
  /** Keys with files in the folder. */
  readonly files: readonly { readonly id: string; readonly publicKeyHex: string; readonly validFrom: string }[];
}

/**
 * Reconciles the ring with leftovers of a crash, an older copy of the folder or an earlier release. State of the topic
 * with a higher version prevails: a key that was retired or revoked there is never restored.
 * A file without a record becomes a published key; in an empty ring the newest of them becomes active.
 */
export function reconciled(ring: Ring, { published, files }: KnownKeys): Ring {
  const known = ring.map((key) => reconciledKey(key, published.get(key.id)));
  const names = new Set(ring.map(({ id }) => id));
  const fileOf = new Map(files.map((file) => [file.id, file]));
  const ofTopic = [...published].flatMap(([id, { version, value }]): RingKey[] =>
    value === null || names.has(id) ? [] : [{ id, version, custody: fileOf.has(id) ? 'file' : 'none', facts: value }],
  );
  const unpublished = files.filter(({ id }) => !names.has(id) && (published.get(id)?.value ?? null) === null);
  const ofFiles = unpublished.map(({ id, publicKeyHex, validFrom }): RingKey => {
    const facts = { publicKeyHex, status: 'published', validFrom, validTo: null } as const;
    return { id, version: (published.get(id)?.version ?? 0) + 1, custody: 'file', facts };
  });
  const added = [...ofTopic, ...ofFiles].sort(byAge);
  if (added.length === 0) return known;
  const all = [...known, ...added];
  const newest = ofFiles.sort(byAge).at(-1);
  if (ring.length > 0 || newest === undefined || activeKey(all) !== null) return all;
  return all.map((key) => (key.id === newest.id ? { ...key, facts: { ...key.facts, status: 'active' } } : key));
}

function reconciledKey(
  key: RingKey,
  published: { version: number; value: SigningKeyFacts | null } | undefined,
): RingKey {
  if (published === undefined || published.version < key.version) return key;
  if (published.version > key.version) {
    // Only this service writes the topic, and never removes a key: one that is missing there is published again.
    return published.value === null
      ? { ...key, version: published.version + 1 }
      : { ...key, version: published.version, facts: published.value };
  }
  if (
    published.value !== null &&
    (published.value.status === 'revoked' || isDeepStrictEqual(published.value, key.facts))
  ) {
    return { ...key, facts: published.value };
  }
  return { ...key, version: key.version + 1 };
}

function byAge(a: RingKey, b: RingKey): number {
  const [x, y] = [`${a.facts.validFrom ?? ''}${a.id}`, `${b.facts.validFrom ?? ''}${b.id}`];
  return x < y ? -1 : x > y ? 1 : 0;
}
