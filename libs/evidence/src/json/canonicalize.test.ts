import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { canonicalize as oracle } from 'json-canonicalize';
import { utf8 } from '../encoding/text.js';
import { canonicalBytes, canonicalize, NotCanonical } from './canonicalize.js';
import { parseJsonStrict, VERIFICATION_LIMITS } from './parse-strict.js';

const DATA = fileURLToPath(new URL('../../vectors/public/jcs', import.meta.url));

describe('the vectors of RFC 8785', () => {
  it.each(readdirSync(`${DATA}/input`))('%s', (name) => {
    const value = parseJsonStrict(readFileSync(`${DATA}/input/${name}`), VERIFICATION_LIMITS);
    expect(canonicalize(value)).toBe(readFileSync(`${DATA}/output/${name}`, 'utf8').trimEnd());
    const hex = readFileSync(`${DATA}/outhex/${name.replace('.json', '.txt')}`, 'utf8').replace(/\s/g, '');
    expect(Buffer.from(canonicalBytes(value)).toString('hex')).toBe(hex);
  });
});

describe('canonicalize', () => {
  it('agrees with json-canonicalize on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(canonicalize(value)).toBe(oracle(value));
      }),
      { numRuns: 500 },
    );
  });

  it('is read back as the same value, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalize(turned)).toBe(canonicalize(value));
        expect(canonicalize(JSON.parse(canonicalize(value)))).toBe(canonicalize(value));
      }),
    );
  });

  it('agrees with json-canonicalize on long lists of any items', () => {
    const items = fc.array(fc.jsonValue({ stringUnit: 'binary' }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(items, fc.nat(80), fc.jsonValue({ stringUnit: 'binary' }), (few, at, one) => {
        const list = [
          -0,
          ...Array.from({ length: 100 }, (_, i) => (i === at ? { b: [one], a: few } : few[i % few.length])),
        ];
        expect(canonicalize(list)).toBe(oracle(list));
      }),
    );
  });

  it('judges items of a long list as any other value', () => {
    const list = (item: unknown): unknown[] => [...Array.from({ length: 200 }, (_, i) => i), item];
    const nothing = Object.assign([1], { toJSON: () => 'x' });
    expect(canonicalize(list([nothing, { '10': 1, '9': 2 }]))).toContain(',[[1],{"10":1,"9":2}]]');
    expect(canonicalize(list('\\ud800"\u0000\u{1F600}'))).toBe(JSON.stringify(list('\\ud800"\u0000\u{1F600}')));
    for (const item of [
      NaN,
      undefined,
      1n,
      () => 1,
      '\ud800',
      { '\udc00': 1 },
      new Date(0),
      [Infinity],
      { a: undefined },
    ]) {
      expect(() => canonicalize(list(item))).toThrow(NotCanonical);
      expect(() => canonicalize(list([{ b: 1, a: item }]))).toThrow(NotCanonical);
    }
    expect(() => canonicalize(Object.assign(list(1), { length: 300 }))).toThrow(NotCanonical);
    const cycle: unknown[] = list(1);
    cycle.push(cycle);
    expect(() => canonicalize(cycle)).toThrow(NotCanonical);
  });

  it('prints -0 as 0, sorts by UTF-16 units and treats __proto__ as an ordinary key', () => {
    expect(canonicalize([-0, 1e21, 1e-7, 100])).toBe('[0,1e+21,1e-7,100]');
    expect(canonicalize({ '\u{1F600}': 1, '\uFB33': 2, '10': 3, '9': 4 })).toBe(
      '{"10":3,"9":4,"\u{1F600}":1,"\uFB33":2}',
    );
    const value = JSON.parse('{"b":1,"__proto__":{"a":2}}') as unknown;
    expect(canonicalize(value)).toBe('{"__proto__":{"a":2},"b":1}');
    expect(canonicalize(Object.create(null))).toBe('{}');
    expect(canonicalBytes('€')).toEqual(utf8('"€"'));
  });

  const long = 'x'.repeat(80);
  it.each<[string, unknown]>([
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate in a long string', `${long}\udc00`],
    ['a lone surrogate in a key', { '\udfff': 1 }],
    ['NaN', [NaN]],
    ['Infinity', { a: Infinity }],
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['a hole', new Array<number>(1)],
    ['a function', { toJSON: () => 1 }],
    ['a symbol', Symbol('a')],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a class', new (class A {})()],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalize(value)).toThrow(NotCanonical);
  });

  it('refuses a cycle instead of overflowing the stack', () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(() => canonicalize(loop)).toThrow(NotCanonical);
  });
});
