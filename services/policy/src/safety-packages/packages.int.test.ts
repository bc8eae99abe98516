import { emptyProfile, mergeSafetyRules } from '@countersign/policy-engine';
import type { BehaviorProfile } from '@countersign/contracts';
import type { PolicyCase } from '../policy-file/read-policy-file.js';
import { runCase, runCases } from '../policy-file/run-cases.js';
import { loadPackages } from './load-packages.js';
import type { SafetyPackage } from './load-packages.js';

const PACKAGES = loadPackages();
const EMPTY = emptyProfile('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa');

const merged = (packages: readonly SafetyPackage[]): BehaviorProfile =>
  packages.reduce((profile, { rules }) => mergeSafetyRules(profile, rules), EMPTY);

describe.each(PACKAGES)('the safety package $id', ({ rules, cases }) => {
  it('passes its own cases', () => {
    expect(runCases({ patch: rules, cases })).toEqual([]);
  });

  it.each(cases)('merged into a profile without rules: $title', (one) => {
    expect(runCase(mergeSafetyRules(EMPTY, rules), one)).toBeNull();
  });

  it('sets every rule that it names, on a profile without rules', () => {
    const { version, ...profile } = mergeSafetyRules(EMPTY, rules);
    expect([version, profile]).toEqual([2, { ...EMPTY, ...rules, version: undefined }]);
  });

  it('has a case for every kind of rule that it names', () => {
    const kinds: Readonly<Record<string, string>> = {
      allowed_apis: 'api_not_allowed',
      blocked_apis: 'api_not_allowed',
      off_limits_actions: 'off_limits_action',
      allowed_actions: 'off_limits_action',
      allowed_data_scopes: 'data_scope_denied',
      blocked_data_scopes: 'data_scope_denied',
      spending_limit: 'spending_limit_exceeded',
      rate_limit: 'rate_limit_exceeded',
      output_rules: 'unsafe_output',
      rules: 'rule_denied',
    };
    const wanted = Object.keys(rules).flatMap((rule) => kinds[rule] ?? []);
    expect(cases.map(({ steps }) => steps.at(-1)?.expect?.violation_type)).toEqual(expect.arrayContaining(wanted));
  });

  it('has a case that each of its rules with conditions denies, and one that it does not', () => {
    for (const { id } of rules.rules ?? []) {
      const expected = cases.flatMap(({ steps }) => steps.map(({ expect: answer }) => answer?.rule ?? null));
      expect(expected).toEqual(expect.arrayContaining([`rules:${id}`, null]));
    }
  });
});

describe('safety packages that are merged', () => {
  it('make the same profile in whatever order, and once more changes nothing', () => {
    const all = merged(PACKAGES);
    expect(rulesOf(merged(PACKAGES.toReversed()))).toEqual(rulesOf(all));
    for (let n = 0; n < PACKAGES.length; n += 1) {
      const turned = [...PACKAGES.slice(n), ...PACKAGES.slice(0, n)];
      expect(rulesOf(merged(turned))).toEqual(rulesOf(all));
      expect(mergeSafetyRules(all, PACKAGES[n]!.rules)).toBe(all);
    }
  });

  it('each deny together what they deny alone', () => {
    const all = merged(PACKAGES);
    const denied = ({ steps }: PolicyCase): boolean => steps.at(-1)?.expect?.allowed === false;
    for (const { id, cases } of PACKAGES) {
      for (const { title, steps } of cases.filter(denied)) {
        const anyDenial = steps.map((step) => ({ ...step, expect: { allowed: false } }));
        expect([id, runCase(all, { title, steps: anyDenial })]).toEqual([id, null]);
      }
    }
  });

  it('leave a stricter number alone, and tighten a looser one', () => {
    const { rules } = PACKAGES.find(({ id }) => id === 'payments')!;
    const strict = { ...EMPTY, spending_limit: 3, rate_limit: { max: 1, per_seconds: 3600 } };
    expect(mergeSafetyRules(strict, rules)).toMatchObject({ spending_limit: 3, rate_limit: strict.rate_limit });
    const loose = { ...EMPTY, spending_limit: 9000, rate_limit: { max: 31, per_seconds: 3600 } };
    expect(mergeSafetyRules(loose, rules)).toMatchObject({ spending_limit: 500, rate_limit: { max: 30 } });
  });
});

/** A profile's lists are sets. */
function rulesOf({ version: _version, ...rules }: BehaviorProfile): unknown {
  return sorted(rules);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(one)).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member)]));
}
