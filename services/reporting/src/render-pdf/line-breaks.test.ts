import fc from 'fast-check';
import { breakLines } from './line-breaks.js';

const one = (): number => 1;

describe('breaking lines', () => {
  it('breaks at spaces, and inside a word only if the word alone is too wide', () => {
    expect(breakLines('the quick brown fox', 10, one)).toEqual(['the quick', 'brown fox']);
    expect(breakLines('a abcdefghijkl b', 5, one)).toEqual(['a', 'abcde', 'fghij', 'kl b']);
    expect(breakLines('', 5, one)).toEqual(['']);
  });

  it('loses no character and never exceeds the width', () => {
    const widths = fc.func(fc.integer({ min: 1, max: 4 }));
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 4, max: 30 }), widths, (text, most, advance) => {
        const lines = breakLines(text, most, advance);
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const line of lines) {
          const width = [...line].reduce((sum, character) => sum + advance(character), 0);
          expect(width).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
