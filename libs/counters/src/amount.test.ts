import fc from 'fast-check';
import { amountOfNanos, amountText, exceeds, minus, MOST_UNITS, parseAmount } from './amount.js';

const amount = fc.record({
  units: fc.oneof(fc.nat(3), fc.constantFrom(MOST_UNITS - 1, MOST_UNITS)),
  nanos: fc.oneof(fc.constantFrom(0, 1, 500_000_000, 999_999_999), fc.nat(999_999_999)),
});
const whole = ({ units, nanos }: { units: number; nanos: number }) => BigInt(units) * 10n ** 9n + BigInt(nanos);

describe('amounts', () => {
  it('are read and written exactly', () => {
    expect(parseAmount('500.00')).toEqual({ units: 500, nanos: 0 });
    expect(parseAmount('0.000000001')).toEqual({ units: 0, nanos: 1 });
    fc.assert(fc.property(amount, (one) => expect(parseAmount(amountText(one))).toEqual(one)));
  });

  it.each(['-1', '', '.5', '1.', '1e3', '0x1', ' 1', '1.0000000001', '100000000000', `${2 ** 53}`, 'NaN', '1,5'])(
    'refuse %s',
    (text) => expect(parseAmount(text)).toBeNull(),
  );

  it('are made of billionths', () => {
    fc.assert(fc.property(amount, (one) => expect(amountOfNanos(whole(one))).toEqual(one)));
    expect(amountOfNanos(-1n)).toBeNull();
    expect(amountOfNanos(100_000_000_000n * 10n ** 9n)).toBeNull();
  });

  it('leave what is left, and never less than nothing', () => {
    const left = (a: bigint, b: bigint): bigint => (a > b ? a - b : 0n);
    fc.assert(fc.property(amount, amount, (a, b) => expect(whole(minus(a, b))).toBe(left(whole(a), whole(b)))));
  });

  it('are compared as whole numbers of nanos', () => {
    fc.assert(
      fc.property(amount, amount, amount, (a, b, c) => expect(exceeds(a, b, c)).toBe(whole(a) + whole(b) > whole(c))),
      { numRuns: 1000 },
    );
  });
});
