import { loadPackages, readPackage } from './load-packages.js';

describe('the safety packages that ship', () => {
  it('are well formed, at least two, and have rules', () => {
    const packages = loadPackages();
    expect(packages.length).toBeGreaterThanOrEqual(2);
    for (const { id, rules } of packages) {
      expect(id).toMatch(/^[a-z][a-z-]+$/);
      expect(Object.keys(rules).length).toBeGreaterThan(0);
    }
    expect(new Set(packages.map(({ id }) => id)).size).toBe(packages.length);
  });
});

describe('reading a safety package', () => {
  const good = { id: 'x', name: 'X', description: 'd', rules: { freeze_on_violation: true } };

  it('takes a good one', () => {
    expect(readPackage('x.json', JSON.stringify(good))).toEqual(good);
  });

  it.each([
    ['another id', { ...good, id: 'y' }],
    ['no name', { ...good, name: undefined }],
    ['an unknown rule', { ...good, rules: { no_such_rule: true } }],
    ['a rule that is not enforced', { ...good, rules: { output_rules: { blocked_pii: [] } } }],
    ['a version', { ...good, rules: { version: 1 } }],
    ['another member', { ...good, more: 1 }],
  ])('refuses %s and names the file', (_what, text) => {
    expect(() => readPackage('x.json', JSON.stringify(text))).toThrow(/x\.json/);
  });
});
