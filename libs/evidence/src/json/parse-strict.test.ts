import fc from 'fast-check';
import { utf8, utf8Length } from '../encoding/text.js';
import { canonicalize } from './canonicalize.js';
import { BODY_LIMITS, type JsonRefusal, JsonRefused, parseJsonStrict, VERIFICATION_LIMITS } from './parse-strict.js';

function refusal(input: string | Uint8Array, limits = BODY_LIMITS): JsonRefusal | null {
  try {
    parseJsonStrict(input, limits);
    return null;
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    expect(error.message).not.toBe('');
    return error.code;
  }
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJsonStrict', () => {
  it('gives what JSON.parse gives, from text and from bytes, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.boolean(), (value, pretty) => {
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        expect(parseJsonStrict(text, VERIFICATION_LIMITS)).toEqual(JSON.parse(text));
        expect(parseJsonStrict(utf8(text), VERIFICATION_LIMITS)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses everything that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (text, at, character) => {
        const cut = at % text.length;
        const broken = text.slice(0, cut) + character + text.slice(cut + 1);
        let parsed = true;
        try {
          JSON.parse(broken);
        } catch {
          parsed = false;
        }
        if (!parsed) expect(refusal(broken, VERIFICATION_LIMITS)).not.toBeNull();
      }),
    );
  });

  it('finds a duplicate anywhere, however it is written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }),
        fc.nat(),
        fc.boolean(),
        (keys, at, escape) => {
          const unique = [...new Set(keys)];
          const twice = unique[at % unique.length]!;
          const written = escape
            ? `"${[...Array(twice.length).keys()].map((i) => `\\u${twice.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
            : JSON.stringify(twice);
          const members = unique.map((key) => `${JSON.stringify(key)}:{"x":[]}`);
          expect(refusal(`[{${members.join(',')}}]`)).toBeNull();
          expect(refusal(`[{${[...members, `${written}:1`].join(',')}}]`)).toBe('duplicate-key');
        },
      ),
    );
  });

  it.each<[string, string | Uint8Array, JsonRefusal]>([
    ['a byte-order mark', '\ufeff{}', 'bom'],
    ['a byte-order mark in bytes', Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d), 'bom'],
    ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'utf8'],
    ['an encoded surrogate', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), 'utf8'],
    ['overlong UTF-8', Uint8Array.of(0x22, 0xc0, 0xaf, 0x22), 'utf8'],
    ['nothing', '', 'syntax'],
    ['two values', '{}{}', 'syntax'],
    ['a trailing comma', '[1,]', 'syntax'],
    ['NaN', 'NaN', 'syntax'],
    ['an unfinished string', '{"a', 'syntax'],
    ['a lone escape at the end', '"\\', 'syntax'],
    ['a duplicate', '{"a":1,"a":1}', 'duplicate-key'],
    ['a duplicate __proto__', '{"__proto__":1,"__proto__":2}', 'duplicate-key'],
    ['a duplicate deep inside', '[{"b":{"a":1,"c":{},"a":2}}]', 'duplicate-key'],
    ['a lone surrogate escape', '"\\ud800"', 'lone-surrogate'],
    ['surrogates in the wrong order', '["\\udc00\\ud800"]', 'lone-surrogate'],
    ['a lone surrogate in a key', '{"\\udfff":1}', 'lone-surrogate'],
    ['a lone surrogate as it stands', '"\ud800"', 'lone-surrogate'],
    ['too large a number', '[1e999]', 'not-finite'],
    ['too small a number', '{"a":-1e400}', 'not-finite'],
    ['too deep a nesting', nested(33), 'depth'],
    ['a bottomless nesting', '['.repeat(1_000_000), 'depth'],
    ['too many keys', `[${'{"a":1},'.repeat(10_000)}{"a":1}]`, 'keys'],
    ['too long a string', `"${'a'.repeat(256 * 1024 + 1)}"`, 'string-bytes'],
    ['too long a string of few characters', `"${'€'.repeat(87_382)}"`, 'string-bytes'],
    ['too long a key', `{"${'é'.repeat(131_073)}":1}`, 'string-bytes'],
  ])('refuses %s', (_name, input, code) => {
    expect(refusal(input)).toBe(code);
  });

  it('takes what just fits', () => {
    expect(refusal(nested(32))).toBeNull();
    expect(refusal(nested(64), VERIFICATION_LIMITS)).toBeNull();
    expect(refusal(nested(65), VERIFICATION_LIMITS)).toBe('depth');
    expect(refusal(`[${'{"a":1},'.repeat(9_999)}{"a":1}]`)).toBeNull();
    expect(refusal(`"${'a'.repeat(256 * 1024)}"`)).toBeNull();
    expect(refusal(`"${'\\u0061'.repeat(256 * 1024)}"`)).toBeNull();
    expect(refusal('"\\ud83d\\ude00"')).toBeNull();
    expect(refusal('{"a:b":"{[:\\"","c":"\\\\"}')).toBeNull();
  });

  it('keeps __proto__ as plain data', () => {
    const value = parseJsonStrict('{"__proto__":{"admin":true},"constructor":1}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(value['admin']).toBeUndefined();
    expect(canonicalize(value)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  });

  it('takes time linear in the length of the text', () => {
    const text = (n: number): string => `{${Array.from({ length: n }, (_, i) => `"k${i}":{"v":"\\"${i}"}`).join(',')}}`;
    // Processor time, the least of several runs, so that other load on the machine does not count.
    const cost = (n: number): number => {
      const input = utf8(text(n));
      const runs = Array.from({ length: 5 }, () => {
        const before = process.cpuUsage();
        parseJsonStrict(input, VERIFICATION_LIMITS);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      return Math.min(...runs);
    };
    expect(cost(200_000)).toBeLessThan(60 * Math.max(cost(20_000), 5000));
  });

  it('counts bytes as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).toBe(utf8(text).length);
      }),
    );
    expect(utf8Length('a\ud800b')).toBe(5);
  });
});
