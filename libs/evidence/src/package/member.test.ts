import fc from 'fast-check';
import { canonicalize } from '../json/canonicalize.js';
import { signMembers } from './assemble.js';
import { canonicalMembers } from './canonical.js';
import { joined, lengthOf, memberOf, piecesOf } from './member.js';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const json = fc.jsonValue({ noUnicodeString: false }).filter((value) => isCanonical(value));

function isCanonical(value: unknown): boolean {
  try {
    canonicalize(value);
    return true;
  } catch {
    return false;
  }
}

describe('members of a package', () => {
  it('give the canonical form of the whole, in any order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 8 }).filter(isCanonical), json, { maxKeys: 8 }), (object) => {
        const members = Object.entries(object).map(([name, value]) => memberOf(name, value));
        expect(text(joined(members))).toBe(canonicalize(object));
        expect(text(joined([...members].reverse()))).toBe(canonicalize(object));
        expect(lengthOf(members)).toBe(joined(members).length);
      }),
    );
  });

  it('keep long lists in pieces, and multi-byte characters whole', () => {
    const list = Array.from({ length: 20_000 }, (_, i) => ({ é: '😀'.repeat(i % 7), n: i }));
    const member = memberOf('list', list);
    expect(member.pieces.length).toBeGreaterThan(5);
    expect(Math.max(...member.pieces.map(({ length }) => length))).toBeLessThan(300_000);
    expect(text(joined([member]))).toBe(canonicalize({ list }));
  });

  it('refuse what has no canonical form, also deep in a list', () => {
    expect(() => memberOf('list', [1, [Number.NaN]])).toThrow('not finite');
  });

  it('give a signed package without its objects', () => {
    const content = { b: [1, 2], a: 'é', sha256: 'left out' };
    const timestamp = { issued_at: 'now', anchor: 'pending', anchor_tx_signature: null } as never;
    const signed: Uint8Array[] = [];
    const { signature, pieces } = signMembers(
      canonicalMembers(content),
      timestamp,
      {
        publicKeyUrl: 'https://x/v1/keys/k',
        sign: (bytes) => {
          signed.push(bytes);
          return new Uint8Array(64);
        },
      },
      () => new Uint8Array(32),
    );
    expect(text(signed[0]!)).toBe(canonicalize({ a: 'é', b: [1, 2], timestamp }));
    expect(Buffer.concat([...pieces()]).toString()).toBe(canonicalize({ ...content, timestamp, ...signature }));
    expect([...piecesOf([])].map(text).join('')).toBe('{}');
  });
});
