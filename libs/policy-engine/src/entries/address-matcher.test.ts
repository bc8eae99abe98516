import { readFileSync } from 'node:fs';
import { addressMatcher } from './address-matcher.js';

type Arguments = readonly [addresses: unknown, entries: readonly string[]];
interface Vectors {
  readonly cases: readonly { readonly args: Arguments; readonly result: unknown }[];
}

const { cases } = JSON.parse(
  readFileSync(new URL('../../../rules/vectors/host/host_in.json', import.meta.url), 'utf8'),
) as Vectors;

describe('the vectors of host_in', () => {
  // Of no address, and of other values, the function decides by itself.
  const texts = cases.filter(
    ({ result, args: [value] }) => result !== 'error' && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  test.each(texts.map((one) => [JSON.stringify(one.args[0]), one] as const))(
    '%s',
    (_, { args: [value, entries], result }) => {
      expect(addressMatcher(entries)(typeof value === 'string' ? [value] : (value as string[]))).toBe(result);
    },
  );
});

test('paths that servers read in too many ways', () => {
  const address = `https://api.example.com/v1/${'..;/%2e'.repeat(5000)}`;
  expect(addressMatcher(['https://api.example.com/v1/'])([address])).toBe(false);
});

test('an entry that is none', () => {
  expect(() => addressMatcher(['https://*.example.com/'])).toThrow(RangeError);
});
