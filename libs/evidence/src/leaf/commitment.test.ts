import type { JsonValue, LeafEvent, MembersOpening } from '@countersign/contracts';
import fc from 'fast-check';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { toBase64Url } from '../encoding/base64.js';
import { toHex } from '../encoding/hex.js';
import { canonicalBytes, canonicalize, joinMembers, memberTexts, NotCanonical } from '../json/canonicalize.js';
import {
  commit,
  COMMITMENT_KINDS,
  type CommitmentKind,
  commitMembers,
  commitV2,
  hasMembers,
  textHash,
} from './commitment.js';
import { discloseMembers, isMembersOpening, opens, shownValue } from './opening.js';
import { plainLeaf } from './plain-leaf.js';

const { sha256 } = nodeCrypto;
const hashOf = (value: unknown): string => toHex(sha256(canonicalBytes(value)));
const kind = fc.constantFrom(...COMMITMENT_KINDS);
const salt = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(toBase64Url);
const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
/** As a body arrives: through JSON, so that `__proto__` is a member like any other. */
const object = fc
  .dictionary(fc.string({ unit: 'grapheme' }), json, { minKeys: 1, maxKeys: 32 })
  .map((given) => JSON.parse(JSON.stringify(given)) as Readonly<Record<string, JsonValue>>)
  .filter((given) => Object.keys(given).length > 0);

/** A leaf of version 2 with this commitment. */
function leafWith(of: CommitmentKind, commitment: string): LeafEvent {
  const head = { type: 'later.type', eventId: '', agentId: '', occurredAt: '' } as const;
  return plainLeaf({ ...head, v: 2, [of]: commitment });
}

/** As FORMAT.md says it, by canonical forms alone. */
function byTheBook(of: CommitmentKind, itsSalt: string, value: Readonly<Record<string, JsonValue>>): string {
  const names = Object.keys(value).sort();
  const digests = names.map((name, i) => {
    const block = hashOf(['salts', of, itsSalt, Math.floor(i / 2)]);
    return hashOf([of, name, i % 2 === 0 ? block.slice(0, 32) : block.slice(32), value[name]]);
  });
  return hashOf([of, digests]);
}

describe('a commitment of version 2', () => {
  it('is that of FORMAT.md for any object of 1 to 32 members, also from their canonical texts', () => {
    fc.assert(
      fc.property(kind, salt, object, (of, itsSalt, value) => {
        const expected = byTheBook(of, itsSalt, value);
        expect(commitV2(of, itsSalt, value, sha256)).toBe(expected);
        const texts = memberTexts(value);
        expect(commitMembers(of, itsSalt, texts, textHash(sha256))).toBe(expected);
        expect(joinMembers(texts)).toBe(canonicalize(value));
      }),
    );
  });

  it('is that of version 1 for any other value', () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`m${i}`, i]));
    fc.assert(
      fc.property(kind, salt, fc.oneof(json, fc.constantFrom({}, many)), (of, itsSalt, value) => {
        if (hasMembers(value)) return;
        expect(commitV2(of, itsSalt, value, sha256)).toBe(commit(of, itsSalt, value, sha256));
      }),
    );
    expect(hasMembers(many)).toBe(false);
    expect(hasMembers({})).toBe(false);
    expect(hasMembers([1])).toBe(false);
  });

  it('is of canonical values alone', () => {
    for (const value of [{ a: undefined }, { a: '\ud800' }, { '\ud800': 1 }, { a: NaN }, new Date(0)]) {
      expect(() => commitV2('action', '', value, sha256)).toThrow(NotCanonical);
      expect(() => memberTexts(value)).toThrow(NotCanonical);
    }
  });
});

describe('an opening by members', () => {
  const shownOf = fc.tuple(object, fc.infiniteStream(fc.boolean())).map(([value, show]) => {
    const names = Object.keys(value).filter(() => show.next().value);
    return { value, names: new Set(names.length === 0 ? Object.keys(value).slice(0, 1) : names) };
  });

  it('opens whichever members it shows, and gives them back', () => {
    fc.assert(
      fc.property(kind, salt, shownOf, (of, itsSalt, { value, names }) => {
        const leaf = leafWith(of, commitV2(of, itsSalt, value, sha256));
        const opening = discloseMembers(of, itsSalt, value, names, sha256);
        const withheld = Object.keys(value).length - names.size;
        expect(isMembersOpening(JSON.parse(JSON.stringify(opening)))).toBe(true);
        expect(opens(leaf, of, opening, sha256)).toBe(withheld === 0 ? 'opens' : 'opens-in-part');
        const shown = shownValue(opening);
        expect(shown.withheld).toBe(withheld);
        expect(canonicalize(shown.value)).toBe(
          canonicalize(Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)))),
        );
        expect(opens(leaf, of, { salt: itsSalt, value }, sha256)).toBe('opens');
        expect(opens({ ...leaf, v: 1 }, of, opening, sha256)).toBe('wrong');
      }),
    );
  });

  it('opens nothing once anything in it is changed', () => {
    const flip = (text: string, at: number): string => {
      const i = at % text.length;
      return text.slice(0, i) + (text[i] === '0' ? '1' : '0') + text.slice(i + 1);
    };
    const changes: Readonly<Record<string, (members: unknown[], i: number, n: number) => unknown>> = {
      'a digest or a salt': (members, i, n) => {
        const entry = members[i] as string | { salt: string };
        if (typeof entry === 'string') members[i] = flip(entry, n);
        else entry.salt = flip(entry.salt, n);
      },
      'a value or a digest': (members, i, n) => {
        const entry = members[i] as string | { value: unknown };
        if (typeof entry === 'string') members[i] = flip(entry, n);
        else entry.value = [entry.value];
      },
      'a name or a digest': (members, i, n) => {
        const entry = members[i] as string | { name: string };
        if (typeof entry === 'string') members[i] = flip(entry, n);
        else entry.name += '.';
      },
      'one entry less': (members, i) => members.splice(i, 1),
      'one entry more': (members, i) => members.splice(i, 0, '0'.repeat(64)),
      'an entry twice': (members, i) => members.splice(i, 0, members[i]),
      'its first entry last': (members) => (members.length > 1 ? members.push(members.shift()) : members.pop()),
    };
    const change = fc.constantFrom(...Object.keys(changes));
    fc.assert(
      fc.property(kind, salt, shownOf, change, fc.nat(), (of, itsSalt, { value, names }, what, n) => {
        const leaf = leafWith(of, commitV2(of, itsSalt, value, sha256));
        const opening = JSON.parse(
          JSON.stringify(discloseMembers(of, itsSalt, value, names, sha256)),
        ) as MembersOpening & { members: unknown[] };
        changes[what]!(opening.members, n % opening.members.length, n);
        expect(opens(leaf, of, opening, sha256)).toBe('wrong');
      }),
    );
  });

  it('opens another kind of commitment no more than another value', () => {
    const value = { a: 1, b: 2 };
    const itsSalt = 'AAAAAAAAAAAAAAAAAAAAAA';
    const commitment = commitV2('action', itsSalt, value, sha256);
    const opening = discloseMembers('action', itsSalt, value, new Set(['a']), sha256);
    expect(opens(leafWith('payload', commitment), 'payload', opening, sha256)).toBe('wrong');
    expect(opens(leafWith('context', commitment), 'action', opening, sha256)).toBe('wrong');
    expect(opens(leafWith('action', commit('action', itsSalt, value, sha256)), 'action', opening, sha256)).toBe(
      'wrong',
    );
  });

  it.each<[string, unknown]>([
    ['no object', []],
    ['no list', { members: {} }],
    ['an empty list', { members: [] }],
    ['nothing shown', { members: ['0'.repeat(64)] }],
    ['a member without a value', { members: [{ name: 'a', salt: '0'.repeat(32) }] }],
    ['a member without a salt', { members: [{ name: 'a', value: 1 }] }],
    ['a salt of another length', { members: [{ name: 'a', salt: '0'.repeat(31), value: 1 }] }],
    ['a name that is no text', { members: [{ name: 1, salt: '0'.repeat(32), value: 1 }] }],
    ['a digest in upper case', { members: ['A'.repeat(64), { name: 'a', salt: '0'.repeat(32), value: 1 }] }],
    ['a salt beside the members', { salt: '', members: [{ name: 'a', salt: '0'.repeat(32), value: 1 }] }],
    ['a value beside the members', { value: 1, members: [{ name: 'a', salt: '0'.repeat(32), value: 1 }] }],
  ])('is not %s', (_what, value) => {
    expect(isMembersOpening(value)).toBe(false);
    expect(isMembersOpening({ members: [{ name: 'a', salt: '0'.repeat(32), value: 1 }] })).toBe(true);
  });

  it('cannot be made of a value without members, or without one of them', () => {
    const show = (value: JsonValue, name: string) => () =>
      discloseMembers('action', 'AAAAAAAAAAAAAAAAAAAAAA', value, new Set([name]), sha256);
    for (const value of [null, [], {}, 'text']) expect(show(value, 'a')).toThrow(RangeError);
    expect(show({ a: 1 }, 'b')).toThrow(RangeError);
    expect(show({ a: 1 }, 'a')).not.toThrow();
  });

  it('is nothing where there is none', () => {
    expect(shownValue(undefined)).toEqual({ value: undefined, withheld: 0 });
    expect(shownValue({ salt: '' })).toEqual({ value: undefined, withheld: 0 });
    expect(shownValue({ salt: '', value: null })).toEqual({ value: null, withheld: 0 });
  });
});
