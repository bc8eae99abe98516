import { readFileSync } from 'node:fs';
import { addressMatcher } from './address-matcher.js';

interface Vectors {
  readonly cases: readonly { readonly args: readonly [unknown, readonly string[]]; readonly result: unknown }[];
}

const { cases } = JSON.parse(
  readFileSync(new URL('../../../rules/vectors/host/host_in.json', import.meta.url), 'utf8'),
) as Vectors;

describe('the vectors of host_in', () => {
  const texts = cases.filter(({ args: [value] }) => typeof value === 'string');
  test.each(texts.map((one) => [JSON.stringify(one.args[0]), one] as const))(
    '%s',
    (_, { args: [address, entries], result }) => {
      expect(addressMatcher(entries)(address as string)).toBe(result);
    },
  );
});

test('an entry that is none', () => {
  expect(() => addressMatcher(['https://*.example.com/'])).toThrow(RangeError);
});
