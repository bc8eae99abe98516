import { loadPackages, readPackage } from './load-packages.js';

describe('the safety packages that ship', () => {
  it('are well formed, at least six, and have rules and cases', () => {
    const packages = loadPackages();
    expect(packages.length).toBeGreaterThanOrEqual(6);
    for (const { id, rules, cases } of packages) {
      expect(id).toMatch(/^[a-z][a-z-]+$/);
      expect(cases.map(({ steps }) => steps[0]?.expect)).toContainEqual({ allowed: true });
      expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
      expect(Object.keys(rules).length).toBeGreaterThan(0);
    }
    expect(new Set(packages.map(({ id }) => id)).size).toBe(packages.length);
  });
});

describe('reading a safety package', () => {
  const cases = [{ title: 't', action: { type: 'a' }, expect: 'allowed' }];
  const good = { id: 'x', name: 'X', description: 'd', rules: { freeze_on_violation: true }, cases };

  it('takes a good one', () => {
    const asked = { action: { type: 'a' }, atMs: Date.UTC(2026, 0, 1), times: 1, given: null };
    const step = { ...asked, expect: { allowed: true } };
    expect(readPackage('x.json', JSON.stringify(good))).toEqual({ ...good, cases: [{ title: 't', steps: [step] }] });
  });

  it.each([
    ['another id', { ...good, id: 'y' }],
    ['no name', { ...good, name: undefined }],
    ['an unknown rule', { ...good, rules: { no_such_rule: true } }],
    ['a rule that cannot be enforced', { ...good, rules: { output_rules: { blocked_pii: ['no such kind'] } } }],
    ['a profile instead of rules', { ...good, rules: undefined, profile: {} }],
    ['a version', { ...good, rules: { version: 1 } }],
    ['another member', { ...good, more: 1 }],
    ['no case', { ...good, cases: [] }],
    ['a case without an action', { ...good, cases: [{ title: 't', expect: 'allowed' }] }],
    ['a case that expects what is no violation', { ...good, cases: [{ ...cases[0], expect: 'no' }] }],
    ['a case with another member', { ...good, cases: [{ ...cases[0], more: 1 }] }],
  ])('refuses %s and names the file', (_what, text) => {
    expect(() => readPackage('x.json', JSON.stringify(text))).toThrow(/x\.json/);
  });
});
