import type { BehaviorProfile } from '@countersign/contracts';
import { compileProfile } from './compile-profile.js';
import { DECIDE_CASES } from './decide.test-cases.js';
import { decide } from './decide.js';
import { explainInSlices, RULE_NAMES } from './explain.js';
import type { CountedFindings, Explained, RuleTrace } from './explain.js';
import { emptyProfile } from './profile/profile-fields.js';
import type { Violation } from './violation.js';

const NOTHING: CountedFindings = { spending: null, rate: null };
const profileOf = (given: Partial<BehaviorProfile>) =>
  compileProfile({ ...emptyProfile('018f4d5e-0000-7000-8000-000000000001'), ...given });
const explain = (...given: Parameters<typeof explainInSlices>): Explained => {
  const slices = explainInSlices(...given);
  for (;;) {
    const step = slices.next();
    if (step.done === true) return step.value;
  }
};
const results = (rules: readonly RuleTrace[]) => Object.fromEntries(rules.map(({ rule, result }) => [rule, result]));

const FULL: Partial<BehaviorProfile> = {
  off_limits_actions: ['delete_*'],
  allowed_actions: ['http_call', 'tool_use', 'llm_response'],
  blocked_apis: ['evil.example'],
  allowed_apis: ['api.example.com', 'crm.*'],
  blocked_data_scopes: ['pii.*'],
  allowed_data_scopes: ['orders'],
  output_rules: { blocked_pii: ['email'], block_secrets: true, blocked_topics: ['weather'], max_length: 20 },
  spending_limit: 5,
  rate_limit: { max: 1, per_seconds: 60 },
};

describe('explain', () => {
  it('reports every rule, in the order of evaluation', () => {
    const { rules } = explain(profileOf({}), { type: 'x' }, NOTHING);
    expect(rules.map(({ rule }) => rule)).toEqual(RULE_NAMES);
    expect(new Set(rules.map(({ result }) => result))).toEqual(new Set(['not_applicable']));
  });

  it('evaluates each rule by itself, also after one that denies', () => {
    const action = {
      type: 'delete_user',
      url: 'https://evil.example/',
      dataScope: 'pii.email',
      estimatedCost: 9,
      payload: ['a@b.example', 'the weather is fine'],
    };
    const violation = { violation_type: 'spending_limit_exceeded' } as Violation;
    const { rules, decision } = explain(profileOf(FULL), action, { spending: violation, rate: null });
    expect(results(rules)).toEqual({
      off_limits_actions: 'matched',
      allowed_actions: 'matched',
      blocked_apis: 'matched',
      allowed_apis: 'matched',
      blocked_data_scopes: 'matched',
      allowed_data_scopes: 'matched',
      'output_rules.blocked_pii': 'matched',
      'output_rules.block_secrets': 'passed',
      'output_rules.blocked_topics': 'matched',
      'output_rules.max_length': 'matched',
      require: 'not_applicable',
      spending_limit: 'matched',
      rate_limit: 'passed',
    });
    expect(decision.violation?.rule).toBe('off_limits_actions:delete_*');
  });

  it('gives the reason why a rule that is set does not apply to the action', () => {
    const { rules } = explain(profileOf(FULL), { type: 'llm_response' }, NOTHING);
    const silent = rules.filter((one) => one.result === 'not_applicable');
    expect(silent.map(({ rule }) => rule)).toEqual(RULE_NAMES.slice(2, 12));
    for (const { rule, because } of silent) if (rule !== 'require') expect(because).toContain('the action');
  });

  it('reads a long payload in time slices, with the same result', () => {
    const action = { type: 'llm_response', payload: Array.from({ length: 4 }, () => 'a word '.repeat(30_000)) };
    const slices = explainInSlices(profileOf(FULL), action, NOTHING);
    let yielded = 0;
    let step = slices.next();
    for (; step.done !== true; step = slices.next()) yielded += 1;
    expect(yielded).toBeGreaterThan(20);
    expect(step.value).toEqual(explain(profileOf(FULL), action, NOTHING));
  });

  it('has as its first match the rule by which decide denies', () => {
    for (const { given, when } of Object.values(DECIDE_CASES).flat()) {
      const profile = profileOf(given);
      const first = explain(profile, when, NOTHING).rules.find((one) => one.result === 'matched');
      expect(first?.violation ?? null).toEqual(decide(profile, when).violation);
    }
  });
});
