import fc from 'fast-check';
import { breaksBetween } from './breaks.js';

describe('breaksBetween', () => {
  it('names every sequence that no run holds, and no other', () => {
    const lengths = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 4 })), { maxLength: 12 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 12 }), fc.nat({ max: 30 }), (parts, first, length) => {
        const held = new Set<number>();
        let next = 1;
        const runs = parts.map(([gap, size]) => {
          const run = { first: next + gap, last: next + gap + size - 1 };
          for (let n = run.first; n <= run.last; n += 1) held.add(n);
          next = run.last + 1;
          return run;
        });
        const last = first + length;
        const missing: number[] = [];
        for (let n = first; n <= last; n += 1) if (!held.has(n)) missing.push(n);
        const found = breaksBetween(runs, first, last);
        expect(
          found.flatMap((one) => Array.from({ length: one.last - one.first + 1 }, (_, n) => one.first + n)),
        ).toEqual(missing);
      }),
    );
  });
});
