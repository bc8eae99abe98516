import fc from 'fast-check';
import { dollarsToMicros, limitToMicros, MAX_MICROS } from './money.js';

describe('dollarsToMicros', () => {
  it.each([
    [0, 0],
    [-0, 0],
    [-1, 0],
    [0.1, 100_000],
    [0.2, 200_000],
    [0.3, 300_000],
    [1.005, 1_005_000],
    [0.000001, 1],
    [0.0000001, 1],
    [0.0000011, 2],
    [1e-7, 1],
    [5e-324, 1],
    [19.99, 19_990_000],
    [4.35, 4_350_000],
    [1.0000001, 1_000_001],
    [9_007_199_254.740_99, 9_007_199_254_740_990],
    [9_007_199_255, MAX_MICROS],
    [1e21, MAX_MICROS],
    [Number.MAX_VALUE, MAX_MICROS],
    [Infinity, MAX_MICROS],
    [NaN, MAX_MICROS],
  ])('%d is %d', (dollars, micros) => {
    expect(dollarsToMicros(dollars)).toBe(micros);
  });

  it('is the decimal text, rounded up', () => {
    const decimal = (text: string): bigint => {
      const [mantissa, exponent = '0'] = text.split('e') as [string, string?];
      const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
      const shift = Number(exponent) - fraction.length + 6;
      const digits = BigInt(whole + fraction);
      if (shift >= 0) return digits * 10n ** BigInt(shift);
      const divisor = 10n ** BigInt(-shift);
      return (digits + divisor - 1n) / divisor;
    };
    fc.assert(
      fc.property(
        fc.oneof(fc.double({ min: 0, max: 1e12, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true })),
        (dollars) => {
          const exact = decimal(`${dollars}`);
          const expected = exact > BigInt(MAX_MICROS) ? BigInt(MAX_MICROS) : exact;
          expect(BigInt(dollarsToMicros(dollars))).toBe(expected);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('limitToMicros', () => {
  it('rounds down, and stays below where sums end', () => {
    expect(limitToMicros(0.0000009)).toBe(0);
    expect(limitToMicros(1e-9)).toBe(0);
    expect(limitToMicros(0.3)).toBe(300_000);
    expect(limitToMicros(1e15)).toBe(MAX_MICROS - 1);
  });

  it('is exceeded by every cost above it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e11, noNaN: true }),
        fc.double({ min: 0, max: 1e11, noNaN: true }),
        (a, b) => {
          if (a > b) expect(dollarsToMicros(a)).toBeGreaterThanOrEqual(limitToMicros(b));
          if (a - b > 1e-5 + a * 1e-15) expect(dollarsToMicros(a)).toBeGreaterThan(limitToMicros(b));
        },
      ),
    );
  });
});
