import fc from 'fast-check';
import { countedViolations } from '@countersign/counters';
import {
  actionCost,
  applyProfilePatch,
  compileProfile,
  emptyProfile,
  explainInSlices,
} from '@countersign/policy-engine';
import type { ProfilePatch } from '@countersign/policy-engine';
import { runInSlices } from '@countersign/async';
import { AGENT } from '../policy.test-context.js';
import { dryRun } from './dry-run.js';
import { archiveOf, record, START } from './dry-run.test-context.js';
import type { GivenCheck } from './dry-run.test-context.js';

const name = fc.constantFrom('wire', 'buy', 'crm.lookup', 'crm.delete');
const host = fc.constantFrom('a.example', 'b.example', '*.example');
const text = fc.constantFrom('fine', '4111 1111 1111 1111', 'mail a@b.example now', 'insider trading');
const action: fc.Arbitrary<GivenCheck['action']> = fc.record(
  {
    type: fc.constantFrom('tool_use', 'http_call', 'data_access', 'llm_response', 'wire'),
    tool_name: name,
    url: fc.constantFrom('https://a.example/x', 'http://B.example.:80/', 'nonsense'),
    dataScope: fc.constantFrom('pii.email', 'orders'),
    estimatedCost: fc.constantFrom(0, 0.1, 0.7, 5),
    payload: text,
  },
  { requiredKeys: ['type'] },
);
const log = fc.array(fc.record({ action, gap: fc.nat({ max: 40_000_000 }) }), { maxLength: 30 }).map((steps) => {
  let after = 0;
  return steps.map(({ action, gap }): GivenCheck => ({ action, after: (after += gap) }));
});
const patch: fc.Arbitrary<ProfilePatch> = fc.record(
  {
    mode: fc.constantFrom('enforce', 'enforce', 'observe'),
    off_limits_actions: fc.array(name, { maxLength: 1 }),
    blocked_apis: fc.array(host, { maxLength: 1 }),
    allowed_data_scopes: fc.array(fc.constantFrom('orders', 'pii.*'), { maxLength: 1 }),
    spending_limit: fc.constantFrom(null, 0.8, 6),
    spending_window: fc.constantFrom('action', 'day', 'month'),
    rate_limit: fc.constantFrom(null, { max: 2, per_seconds: 3600 }, { max: 3, per_seconds: 86_400 }),
    output_rules: fc.constantFrom(null, {
      blocked_pii: ['credit_card', 'email'],
      block_secrets: true,
      blocked_topics: ['insider trading'],
      max_length: null,
    }),
    freeze_on_violation: fc.boolean(),
    store_payload: fc.boolean(),
  },
  { requiredKeys: [] },
);

const END = START + 1e10;
const range = { from: new Date(START).toISOString(), to: new Date(END).toISOString() };
const ruled = (given: ProfilePatch) => applyProfilePatch(emptyProfile(AGENT), given);

describe('any dry run', () => {
  it('flips nothing with the profile in force, and judges everything', () =>
    fc.assert(
      fc.asyncProperty(patch, log, async (given, checks) => {
        const profile = ruled(given);
        const events = record(profile, checks);
        const answer = await dryRun(archiveOf(events), { agentId: AGENT, profile, draft: profile, ...range });
        expect(answer).toMatchObject({
          checks: checks.length,
          evaluated: checks.length,
          unchanged: checks.length,
          flips: { toDenied: 0, toAllowed: 0 },
          byRule: [],
        });
      }),
    ));

  it('flips nothing with the profile in force from any time on', () =>
    fc.assert(
      fc.asyncProperty(patch, log, fc.nat(), async (given, checks, at) => {
        const profile = ruled(given);
        const events = record(profile, checks);
        const from = new Date(START + (checks[at % Math.max(1, checks.length)]?.after ?? 0)).toISOString();
        const answer = await dryRun(archiveOf(events), { agentId: AGENT, profile, draft: profile, ...range, from });
        expect(answer.flips).toEqual({ toDenied: 0, toAllowed: 0 });
      }),
    ));

  it('finds each flip that the checks would have shown under the draft', () =>
    fc.assert(
      fc.asyncProperty(patch, patch, log, async (before, over, checks) => {
        const profile = ruled({ ...before, store_payload: true });
        const draft = applyProfilePatch(profile, { ...over, store_payload: true });
        const [then, now] = [record(profile, checks), record(draft, checks)];
        const answer = await dryRun(archiveOf(then), { agentId: AGENT, profile, draft, ...range });
        const allowed = now.map(({ envelope }) => envelope.leaf.allowed);
        const was = then.map(({ envelope }) => envelope.leaf.allowed);
        expect(answer.flips).toEqual({
          toDenied: was.filter((one, n) => one === true && allowed[n] === false).length,
          toAllowed: was.filter((one, n) => one === false && allowed[n] === true).length,
        });
        expect(answer.freezes).toBe(now.filter(({ envelope }) => envelope.freezesAgent).length);
      }),
    ));

  it('says of a single check what explain says', () =>
    fc.assert(
      fc.asyncProperty(patch, action, async (given, one) => {
        const profile = ruled({ store_payload: true });
        const draft = applyProfilePatch(profile, { ...given, store_payload: true });
        const events = record(profile, [{ action: one }]);
        const { byRule } = await dryRun(archiveOf(events), { agentId: AGENT, profile, draft, ...range });
        const compiled = compileProfile(draft);
        const nothing = {
          nowMs: START,
          frozen: false,
          dayMicros: 0,
          monthMicros: 0,
          rateCount: 0,
          rateBlockedBy: null,
        };
        const { spending, rate } = compiled;
        const counted = countedViolations(nothing, { spending, rate, costMicros: actionCost(one) });
        const { decision } = await runInSlices(explainInSlices(compiled, one, counted));
        const denial = compiled.observe ? null : (decision.violation ?? counted.spending ?? counted.rate);
        expect(byRule.map(({ rule, violation_type }) => [rule, violation_type])).toEqual(
          denial === null ? [] : [[denial.rule, denial.violation_type]],
        );
      }),
    ));
});
