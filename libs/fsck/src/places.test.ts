import fc from 'fast-check';
import { offsetOf, partitionOf, placeIn, Reached } from './places.js';

const partitions = fc.integer({ min: 0, max: 1000 });
const offsets = fc.integer({ min: 0, max: 2 ** 40 - 1 });

describe('places', () => {
  it('hold partition and offset, in their order', () => {
    fc.assert(
      fc.property(partitions, offsets, partitions, offsets, (p, o, q, r) => {
        expect([partitionOf(placeIn(p, o)), offsetOf(placeIn(p, o))]).toEqual([p, o]);
        expect(Math.sign(placeIn(p, o) - placeIn(q, r))).toBe(Math.sign(p === q ? o - r : p - q));
      }),
    );
  });

  it('are offsets in the first partition', () => {
    expect(placeIn(0, 17)).toBe(17);
  });

  it('are reached partition by partition', () => {
    const reached = new Reached([
      [0, 5],
      [3, 2],
    ]);
    expect(
      [placeIn(0, 4), placeIn(0, 5), placeIn(3, 1), placeIn(3, 2), placeIn(4, 0)].map((at) => reached.has(at)),
    ).toEqual([true, false, true, false, false]);
  });

  it('has reached what lies before the log', () => {
    expect(new Reached([]).has(-1)).toBe(true);
  });
});
