import { describeSeries } from './describe-series.js';

const changes = (member: string, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ reportId: `${member}-${i}`, member }));
const linesOf = (of: unknown): string[] => describeSeries({ changes: of }).filter((line) => /chang/.test(line));

describe('the changes of a series', () => {
  it('are shown with those of agents and of the scope first', () => {
    const shown = linesOf([...changes('mapping', 1), ...changes('scope', 1), ...changes('agents', 2)]);
    expect(shown).toEqual([
      'agents changed with report agents-0',
      'agents changed with report agents-1',
      'scope changed with report scope-0',
      'mapping changed with report mapping-0',
    ]);
  });

  it('are not shown in part without saying so', () => {
    const shown = linesOf([...changes('mapping', 30), ...changes('agents', 9), ...changes('scope', 3)]);
    expect(shown).toHaveLength(11);
    expect(shown.slice(0, 9).every((line) => line.startsWith('agents changed'))).toBe(true);
    expect(shown.slice(9)).toEqual(['scope changed with report scope-0', 'and 32 more changes: scope 2, mapping 30']);
    expect(linesOf(changes('scope', 10))).toHaveLength(10);
  });

  it.each([[undefined], ['none'], [[null, 1, { member: [] }]]])('are read from any value: %j', (of) => {
    expect(linesOf(of)).toEqual(Array.isArray(of) ? of.map(() => '? changed with report ?') : []);
  });
});
