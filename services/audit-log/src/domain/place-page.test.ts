import fc from 'fast-check';
import { placePage } from './place-page.js';

describe('placePage', () => {
  it('gives an empty page past the end, with the total', () => {
    const times = [{ fromMs: 10, toMs: 20, count: 3 }];
    expect(placePage(times, { limit: 5, offset: 3 })).toMatchObject({ total: 3, limit: 0 });
    expect(placePage([], { limit: 5, offset: 0 })).toMatchObject({ total: 0, limit: 0 });
  });

  it('finds what slicing the whole list finds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 40 }),
        (hours, limit, offset) => {
          const newestFirst = hours.map((minutes, n) => ({
            fromMs: (hours.length - n) * 10,
            toMs: (hours.length - n) * 10 + 10,
            count: minutes.length,
            all: minutes.map((minute) => (hours.length - n) * 10 + minute).sort((a, b) => b - a),
          }));
          const everything = newestFirst.flatMap(({ all }) => all);
          const placed = placePage(newestFirst, { limit, offset });
          const near = everything.filter((at) => at >= placed.fromMs && at < placed.toMs);
          expect(placed.total).toBe(everything.length);
          expect(near.slice(placed.offset, placed.offset + placed.limit)).toEqual(
            everything.slice(offset, offset + limit),
          );
        },
      ),
    );
  });
});
