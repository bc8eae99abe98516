import { sidesOf } from './path-sides.js';

/** The sides by the recursive definition of the path (RFC 9162 section 2.1.3.1), from the leaf upwards. */
function defined(index: number, size: number): readonly string[] {
  if (size === 1) return [];
  let half = 1;
  while (half * 2 < size) half *= 2;
  return index < half ? [...defined(index, half), 'right'] : [...defined(index - half, size - half), 'left'];
}

describe('the sides of a path', () => {
  it('are those of its definition for each leaf of trees of up to 70 leaves', () => {
    for (let size = 1; size <= 70; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const expected = defined(index, size);
        expect([size, index, sidesOf(index, size, expected.length)]).toEqual([size, index, expected]);
      }
    }
  });
});
