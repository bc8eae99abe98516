import fc from 'fast-check';
import { RecentResults } from './recent-results.js';

const isEven = (text: string): boolean => text.length % 2 === 0;

describe('results that are kept', () => {
  it('are computed once for each test and text', () => {
    const recent = new RecentResults(10, 1000);
    const asked: string[] = [];
    const counting = (name: string): ((text: string) => boolean) =>
      recent.keeping((text) => {
        asked.push(`${name} ${text}`);
        return isEven(text);
      });
    const [first, second] = [counting('first'), counting('second')];
    expect([first('ab'), first('ab'), first('abc'), first('abc'), second('ab')]).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
    expect(asked).toEqual(['first ab', 'first abc', 'second ab']);
  });

  it('are those that were used last, within both bounds', () => {
    const recent = new RecentResults(3, 20);
    const asked: string[] = [];
    const test = recent.keeping((text) => {
      asked.push(text);
      return true;
    });
    for (const text of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) test(text);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'b']);
    test('x'.repeat(15));
    expect(recent.size).toEqual({ results: 2, characters: 20 });
    test('y'.repeat(40));
    expect(recent.size).toEqual({ results: 2, characters: 20 });
  });

  it('are what the test finds, and never more than the bounds allow', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.string({ maxLength: 12 })), { maxLength: 200 }), (calls) => {
        const recent = new RecentResults(5, 40);
        const tests = [recent.keeping(isEven), recent.keeping((text) => !isEven(text))] as const;
        for (const [other, text] of calls) {
          expect(tests[other ? 1 : 0](text)).toBe(isEven(text) !== other);
          const { results, characters } = recent.size;
          expect(results <= 5 && characters <= 40 && characters >= results * 2).toBe(true);
        }
      }),
    );
  });
});
