import fc from 'fast-check';
import { PathPrefixes } from './path-prefixes.js';

const segment = fc.constantFrom('a', 'b', 'ab', 'a-', 'a!', '\u00e9', '%2F');
const view = fc.array(segment, { maxLength: 4 });
const end = fc.record({ views: fc.array(view, { minLength: 1, maxLength: 2 }), port: fc.constantFrom(null, '1', '2') });

describe('the URL prefixes of a host', () => {
  it('match as each prefix by itself would, by whole segments, the shortest match first', () => {
    fc.assert(
      fc.property(
        fc.array(end, { minLength: 1, maxLength: 8 }),
        view,
        fc.constantFrom('1', '2'),
        (ends, path, port) => {
          const all = ends.map(({ views, port: of }, n) => ({
            prefix: { host: 'h', scheme: null, port: of, views },
            entry: `${n}`,
          }));
          const begins = (one: readonly string[]): boolean => one.every((part, n) => path[n] === part);
          const fitting = all
            .filter(({ prefix }) => prefix.port === null || prefix.port === port)
            .flatMap(({ prefix, entry }) => prefix.views.filter(begins).map((one) => ({ length: one.length, entry })));
          const [first] = fitting.sort((a, b) => a.length - b.length);
          const prefixes = new PathPrefixes(all);
          expect(prefixes.match(path, (reach) => reach.port === null || reach.port === port)).toBe(
            first?.entry ?? null,
          );
          expect(all.map(({ entry }) => entry)).toContain(prefixes.any());
        },
      ),
      { numRuns: 3000 },
    );
  });
});
