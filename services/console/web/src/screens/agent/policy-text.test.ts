import { rangeIn, readYaml, writeYaml } from './policy-text.js';

describe('the text of a policy', () => {
  it('is YAML 1.2 that JSON can hold', () => {
    expect(readYaml('mode: enforce\nblocked_apis: ["*.example"]\nspending_limit: 5\n')).toEqual({
      mode: 'enforce',
      blocked_apis: ['*.example'],
      spending_limit: 5,
    });
    const profile = { mode: 'enforce', rules: [{ id: 'a', when: 'has(args.x) && args.x > 1: no' }], rate_limit: null };
    expect(readYaml(writeYaml(profile))).toEqual(profile);
    for (const wrong of ['a: 1\na: 2', 'a: [', 'limit: .inf', 'a: !!set {b}', 'a: *b']) {
      expect(() => readYaml(wrong)).toThrow();
    }
    expect(readYaml('%YAML 1.1\n---\nblocked_apis: [2020-01-01, no]\n<<: {a: 1}')).toEqual({
      blocked_apis: ['2020-01-01', 'no'],
      '<<': { a: 1 },
    });
    expect(Object.keys(readYaml('__proto__: {a: 1}') as object)).toEqual(['__proto__']);
  });

  it.each(['json', 'yaml'])('has each element at a place, as %s', (format) => {
    const profile = { blocked_apis: ['one.example', 'two.example'], rules: [{ id: 'a' }] };
    const text = format === 'json' ? JSON.stringify(profile, null, 2) : writeYaml(profile);
    const at = (path: readonly (string | number)[]): string => text.slice(...(rangeIn(text, path) ?? [0, 0]));
    expect(at(['blocked_apis', 1])).toContain('two.example');
    expect(at(['blocked_apis', 1])).not.toContain('one.example');
    expect(at(['rules', 0, 'when'])).toContain('id');
    expect(at([])).toBe('');
    expect(at(['facts', 0])).toBe('');
  });
});
