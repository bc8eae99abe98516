import fc from 'fast-check';
import { NamePatterns } from './name-patterns.js';

/** The same, entry by entry. */
function byEach(entries: readonly string[], name: string): string | null {
  if (entries.includes(name)) return name;
  const fitting = entries.filter((entry) => entry.endsWith('*') && name.startsWith(entry.slice(0, -1)));
  return fitting.sort((a, b) => a.length - b.length)[0] ?? null;
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\uffff', '😀'), maxLength: 5 });
const entry = fc.tuple(word, fc.constantFrom('', '*')).map((parts) => parts.join(''));

describe('names and patterns', () => {
  it('match as each entry by itself would, exact ones first, then the shortest', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 12 }),
        fc.array(word, { minLength: 1, maxLength: 8 }),
        (entries, names) => {
          const patterns = new NamePatterns(entries);
          for (const name of names) expect([name, patterns.match(name)]).toEqual([name, byEach(entries, name)]);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
