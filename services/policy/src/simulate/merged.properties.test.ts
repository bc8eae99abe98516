import fc from 'fast-check';
import type { BehaviorProfile } from '@countersign/contracts';
import { emptyProfile, strictestOf } from '@countersign/policy-engine';
import { AGENT } from '../policy.test-context.js';
import { SimulatedAgent } from './simulated-agent.js';

/** Few ids and names, so that members of different profiles often have the same ones. */
const id = fc.constantFrom('a', 'b');
const tools = fc.constantFrom(['pay'], ['send'], ['p*', 'send']);
const fact = fc.record({
  id,
  set_when: fc.constantFrom('has(args.n) && args.n > 2', 'has(args.secret)', 'action.type == "x"'),
  scope: fc.constantFrom('session', 'agent'),
  ttl_seconds: fc.constantFrom(5, 60),
} as const);
const when = fc.constantFrom(
  'facts.a',
  'facts["b"]',
  'facts.a && !facts . b',
  '!facts.b || "facts.a" == "x"',
  'has(args.n) && args.n > 1',
);
const rule = fc.record({ id, tools, when, effect: fc.constantFrom('deny', 'approve', 'deny_unless') } as const);
const limit = fc.oneof(
  fc.record({ id, tools, max_count: fc.constantFrom(1, 3), window_seconds: fc.constantFrom(10, 60) }),
  fc.record({
    ...{ id, tools, sum: fc.constant('args.n'), key: fc.constantFrom('action.type', 'args.n') },
    ...{ max_sum: fc.constantFrom('2', '6.5'), window_seconds: fc.constantFrom(10, 60) },
  }),
);
const uniqueIds = { selector: (one: { readonly id: string }) => one.id, maxLength: 2 };
const profile = fc
  .record({
    rules: fc.uniqueArray(rule, uniqueIds),
    facts: fc.tuple(fact, fact).map(([a, b]) => [
      { ...a, id: 'a' },
      { ...b, id: 'b' },
    ]),
    limits: fc.uniqueArray(limit, uniqueIds),
  })
  .map((members): BehaviorProfile => ({ ...emptyProfile(AGENT), ...members }));
const step = fc.record({
  type: fc.constantFrom('x', 'tool_use'),
  tool_name: fc.constantFrom('pay', 'send', 'other'),
  payload: fc.record({ n: fc.nat(4), secret: fc.constant(true) }, { requiredKeys: ['n'] }),
  metadata: fc.record({ session: fc.constantFrom('s', 't') }, { requiredKeys: [] }),
  passesMs: fc.constantFrom(0, 1000, 20_000),
});

test('merged rules, facts and limits allow nothing that one of the profiles denies', () => {
  let allowed = 0;
  fc.assert(
    fc.property(fc.array(profile, { minLength: 1, maxLength: 3 }), fc.array(step, { maxLength: 20 }), (all, steps) => {
      const merged = new SimulatedAgent({ ...strictestOf(all), agent_id: AGENT, version: 1 });
      const agents = all.map((one) => new SimulatedAgent(one));
      let nowMs = Date.UTC(2026, 2, 10, 12);
      for (const { passesMs, ...action } of steps) {
        nowMs += passesMs;
        if (!merged.check(action, nowMs).allowed) continue;
        // What is allowed is counted and sets facts in each of them alike.
        for (const agent of agents) expect(agent.check(action, nowMs)).toMatchObject({ allowed: true });
        allowed += 1;
      }
    }),
    { numRuns: 500 },
  );
  expect(allowed).toBeGreaterThan(100);
});
