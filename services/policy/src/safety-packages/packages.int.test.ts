import { InProcessCounters } from '@countersign/counters';
import { compileProfile, decide, emptyProfile, mergeSafetyRules } from '@countersign/policy-engine';
import type { BehaviorProfile } from '@countersign/contracts';
import { loadPackages } from './load-packages.js';
import type { PackageCase, SafetyPackage } from './load-packages.js';

const PACKAGES = loadPackages();
const EMPTY = emptyProfile('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa');

/** As a gateway judges: the static rules, then spending and rate by the counters. */
async function verdict(profile: BehaviorProfile, { action, times = 1 }: PackageCase): Promise<PackageCase['expect']> {
  const compiled = compileProfile(profile);
  const counters = new InProcessCounters();
  await counters.serve();
  let last: PackageCase['expect'] = 'allowed';
  for (let n = 0; n < times; n += 1) {
    const { violation, costMicros } = decide(compiled, action);
    const result = await counters.check({
      accountId: 'account',
      agentId: 'agent',
      apiKeyId: 'key',
      versions: { account: 1, apiKey: 1, agent: 1 },
      plan: { plan: 'enterprise', actionCap: null, sandboxExpiresAtMs: null },
      frozen: false,
      observe: compiled.observe,
      freezeOnViolation: compiled.freezeOnViolation,
      violation,
      costMicros,
      spending: compiled.spending,
      rate: compiled.rate,
      idempotency: null,
      entropy: n.toString(16).padStart(20, '0'),
      actionSalt: `salt ${n}`,
      payloadSalt: null,
    });
    if (result.kind !== 'judged') throw new Error(result.kind);
    last = result.judgement.violation?.violation_type ?? 'allowed';
  }
  await counters.close();
  return last;
}

const merged = (packages: readonly SafetyPackage[]): BehaviorProfile =>
  packages.reduce((profile, { rules }) => mergeSafetyRules(profile, rules), EMPTY);

describe.each(PACKAGES)('the safety package $id', ({ rules, cases }) => {
  it.each(cases)('$title: $expect', async (one) => {
    expect(await verdict(mergeSafetyRules(EMPTY, rules), one)).toBe(one.expect);
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
    };
    const wanted = Object.keys(rules).flatMap((rule) => kinds[rule] ?? []);
    expect(cases.map(({ expect: found }) => found as string)).toEqual(expect.arrayContaining(wanted));
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

  it('each deny together what they deny alone', async () => {
    const all = merged(PACKAGES);
    for (const { id, cases } of PACKAGES) {
      for (const one of cases.filter(({ expect: wanted }) => wanted !== 'allowed')) {
        expect([id, one.title, await verdict(all, one)]).not.toEqual([id, one.title, 'allowed']);
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
  if (Array.isArray(value)) return [...(value as string[])].sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member)]));
}
