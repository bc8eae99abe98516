import fc from 'fast-check';
import { countedHours, EARLIEST, HOUR_MS, LATEST, wholeHours } from './count-times.js';

const from = fc.integer({ min: 0, max: 6 * HOUR_MS });

describe('wholeHours', () => {
  it('cuts a range into parts that meet and do not overlap', () => {
    fc.assert(
      fc.property(from, fc.integer({ min: 1, max: 4 * HOUR_MS }), (fromMs, length) => {
        const { whole, broken } = wholeHours({ fromMs, toMs: fromMs + length });
        const parts = [...broken, { fromMs: whole.first * HOUR_MS, toMs: whole.end * HOUR_MS }]
          .filter((part) => part.fromMs < part.toMs)
          .sort((a, b) => a.fromMs - b.fromMs);
        expect(parts[0]?.fromMs).toBe(fromMs);
        expect(parts.at(-1)?.toMs).toBe(fromMs + length);
        for (const [n, part] of parts.slice(1).entries()) expect(part.fromMs).toBe(parts[n]?.toMs);
      }),
    );
  });

  it('breaks no hour at an open end', () => {
    const { whole, broken } = wholeHours({ fromMs: EARLIEST, toMs: LATEST });
    expect(broken).toEqual([]);
    expect(whole.first * HOUR_MS).toBeLessThanOrEqual(EARLIEST);
    expect(whole.end * HOUR_MS).toBeGreaterThanOrEqual(LATEST - 1);
  });
});

describe('countedHours', () => {
  it('gives all times newest first, groups of hours cut to the whole ones', () => {
    const { whole, broken } = wholeHours({ fromMs: HOUR_MS - 5, toMs: 3 * HOUR_MS + 5 });
    const counted = broken.map((part, n) => ({ ...part, count: n + 1 }));
    expect(countedHours([{ hour: 0, count: 7 }], whole, counted, 24)).toEqual([
      { fromMs: 3 * HOUR_MS, toMs: 3 * HOUR_MS + 5, count: 1 },
      { fromMs: HOUR_MS, toMs: 3 * HOUR_MS, count: 7 },
      { fromMs: HOUR_MS - 5, toMs: HOUR_MS, count: 2 },
    ]);
  });
});
