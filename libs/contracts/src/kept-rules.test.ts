import fc from 'fast-check';
import { packAmounts, unpackAmounts } from './kept-rules.js';
import type { KeptAmount } from './kept-rules.js';

const T = Date.UTC(2026, 2, 1);
const whole = (max: number) => fc.integer({ min: 0, max });

describe('amounts as text', () => {
  it('are read as they were written', () => {
    const amounts = fc.array(
      fc.record({
        atMs: whole(2 ** 41),
        order: whole(2 ** 31),
        amount: fc.oneof(
          fc.constant({ units: 1, nanos: 0 }),
          fc.record({ units: whole(Number.MAX_SAFE_INTEGER), nanos: whole(999_999_999) }),
        ),
      }),
    );
    fc.assert(
      fc.property(amounts, (some) => {
        const sorted = [...some].sort((a, b) => a.atMs - b.atMs);
        expect(unpackAmounts(packAmounts(sorted))).toEqual(sorted);
      }),
    );
  });

  it('are short where checks are counted', () => {
    const counted: KeptAmount[] = [0, 7, 8].map((ms, n) => {
      return { atMs: T + ms, order: 40 + n, amount: { units: 1, nanos: 0 } };
    });
    expect(packAmounts(counted)).toBe(`${T.toString(36)},14 7,1 1,1`);
  });

  it('are not read from another text', () => {
    for (const text of ['-', '1', '1,', ',1', '1,1,1', '1,1,1,1,1', '-1,1', '1,1  1,1', '1,1,A,1', '1.5,1', ' ']) {
      expect(unpackAmounts(text)).toBeNull();
    }
    expect(unpackAmounts('')).toEqual([]);
  });
});
