import fc from 'fast-check';
import type { SigningKeyFacts } from '@countersign/contracts';
import {
  activeKey,
  KeyChangeRefused,
  OVERLAP_MS,
  reconciled,
  validSince,
  withActive,
  withKey,
  withRevoked,
  type Ring,
} from './ring.js';

const T = Date.UTC(2026, 2, 1, 12);
const iso = (ms: number): string => new Date(ms).toISOString();
const facts = (status: SigningKeyFacts['status'], more: Partial<SigningKeyFacts> = {}): SigningKeyFacts => ({
  publicKeyHex: 'ab'.repeat(32),
  status,
  validFrom: iso(T),
  validTo: null,
  ...more,
});
const made = (ring: Ring, id: string): Ring => withKey(ring, { id, custody: 'file' }, facts('published'));
const states = (ring: Ring): string[] => ring.map(({ id, version, facts: f }) => `${id} ${f.status} ${version}`);

const two = made(withActive(made([], 'a'), 'a', T), 'b');

describe('the ring of signing keys', () => {
  it('publishes a key before it signs, and retires the active one with an end of its validity', () => {
    expect(states(two)).toEqual(['a active 2', 'b published 1']);
    const rotated = withActive(two, 'b', T + 5);
    expect(states(rotated)).toEqual(['a retired 3', 'b active 2']);
    expect(rotated[0]!.facts.validTo).toBe(iso(T + 5 + OVERLAP_MS));
    expect(rotated[1]!.facts.validTo).toBeNull();
  });

  it('accepts a key whose clock is ahead of the chain’s', () => {
    expect(validSince(T + 999)).toBe(iso(T - 60_000));
  });

  it.each([
    ['b', 'b is active: only a published key can take its turn'],
    ['a', 'a is retired: only a published key can take its turn'],
    ['c', 'there is no key c'],
  ])('does not rotate to %s', (id, message) => {
    expect(() => withActive(withActive(two, 'b', T), id, T)).toThrow(new KeyChangeRefused(message));
  });

  it('replaces a revoked key by a published one, and has none if none is published', () => {
    const revoked = withRevoked(two, 'a', 'its backup was lost', T + 7);
    expect(states(revoked)).toEqual(['a revoked 3', 'b active 2']);
    expect(revoked[0]!.facts.revocation).toEqual({ at: iso(T + 7), reason: 'its backup was lost' });
    const none = withRevoked(revoked, 'b', 'as well', T + 8);
    expect(activeKey(none)).toBeNull();
    expect(() => withRevoked(none, 'b', 'again', T)).toThrow('b was revoked before');
    expect(states(withRevoked(two, 'b', 'never used', T))).toEqual(['a active 2', 'b revoked 2']);
  });

  it('keeps at most one key active, and never restores a revoked one', () => {
    const change = fc.record({ act: fc.constantFrom('make', 'rotate', 'revoke'), n: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
        let ring: Ring = [];
        for (const [at, { act, n }] of changes.entries()) {
          const before = ring;
          const id = `key-${n}`;
          try {
            if (act === 'make') ring = made(ring, id);
            else ring = act === 'rotate' ? withActive(ring, id, T + at) : withRevoked(ring, id, 'why', T + at);
          } catch (error) {
            expect(error).toBeInstanceOf(KeyChangeRefused);
          }
          expect(ring.filter((key) => key.facts.status === 'active').length).toBeLessThanOrEqual(1);
          for (const [i, key] of before.entries()) {
            const now = ring[i]!;
            expect(now.id).toBe(key.id);
            expect(now.version).toBeGreaterThanOrEqual(key.version);
            expect(now === key || now.version > key.version).toBe(true);
            if (key.facts.status === 'revoked') expect(now).toBe(key);
          }
        }
      }),
    );
  });
});

describe('the ring with files and topic', () => {
  const file = (id: string, validFrom = iso(T)) => ({ id, publicKeyHex: 'ab'.repeat(32), validFrom });
  const none = { published: new Map(), files: [] };

  it('is unchanged if nothing else is known', () => {
    expect(reconciled(two, none)).toEqual(two);
    const published = new Map(two.map(({ id, version, facts: value }) => [id, { version, value }]));
    expect(reconciled(two, { published, files: [file('a'), file('b')] })).toEqual(two);
  });

  it('starts with the keys of a folder without a ring, as the topic knows them', () => {
    const published = new Map([['a', { version: 4, value: facts('active') }]]);
    expect(states(reconciled([], { published, files: [file('a')] }))).toEqual(['a active 4']);
    expect(states(reconciled([], { published: new Map(), files: [file('a')] }))).toEqual(['a active 1']);
  });

  it('publishes a file without a record, and keeps the active key', () => {
    const ring = reconciled(withActive(made([], 'a'), 'a', T), { published: new Map(), files: [file('a'), file('z')] });
    expect(states(ring)).toEqual(['a active 2', 'z published 1']);
  });

  it('takes newer state from the topic: a copy of the folder is older than a revocation', () => {
    const published = new Map([
      ['a', { version: 9, value: facts('revoked') }],
      ['b', { version: 1, value: facts('published') }],
      ['old', { version: 3, value: facts('retired', { validFrom: iso(T - 9) }) }],
    ]);
    const ring = reconciled(two, { published, files: [file('a'), file('b')] });
    expect(states(ring)).toEqual(['a revoked 9', 'b published 1', 'old retired 3']);
    expect(ring.at(-1)!.custody).toBe('none');
  });

  it('prevails over another record of the same version, unless that is a revocation', () => {
    const say = (value: SigningKeyFacts) =>
      states(reconciled(two, { published: new Map([['a', { version: 2, value }]]), files: [] }))[0];
    expect(say(facts('active', { validFrom: null }))).toBe('a active 3');
    expect(say(facts('revoked'))).toBe('a revoked 2');
  });

  it('publishes a key again that the topic lost', () => {
    const published = new Map([['a', { version: 2, value: null }]]);
    expect(states(reconciled(two, { published, files: [] }))[0]).toBe('a active 3');
  });
});
