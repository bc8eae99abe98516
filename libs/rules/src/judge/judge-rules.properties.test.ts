import type { ArgumentMatcher, RuleMember } from '@countersign/contracts';
import fc from 'fast-check';
import { compileRules, judgeRules } from '../index.js';
import type { RuleJudgement, RuleMembers } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

/** Few names and values, so that rules and actions often match. */
const name = fc.constantFrom('n', 's', 'o.n', 'constructor', '__proto__x');
const number = fc.constantFrom(-1, 0, 0.5, 3, 100);
const matcher: fc.Arbitrary<ArgumentMatcher> = fc.oneof(
  fc.record({ max: number }),
  fc.record({ min: number }),
  fc.record({ one_of: fc.array(fc.oneof(number, fc.constantFrom('a', 'b')), { minLength: 1, maxLength: 3 }) }),
  fc.record({ prefix: fc.constantFrom('a', '/srv') }),
  fc.record({ under: fc.constant(['/srv']) }),
  fc.record({ max_length: fc.constantFrom(0, 2) }),
  fc.record({ present: fc.constant(true as const) }),
  fc.record({ max: number, absent: fc.constant('allow' as const) }),
);
const when = fc.constantFrom(
  'facts.one',
  '!facts.two && has(args.n) && args.n > 1',
  'has(args.s) && args.s.startsWith("a")',
  'has(args.n) && args.n + 1 <= 4',
  'facts.one || facts.two',
  'agent.id == "x"',
);
const rule = fc.record(
  {
    args: fc.dictionary(name, matcher, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    when,
    tools: fc.constantFrom(['t'], ['t*'], ['u']),
    types: fc.constantFrom(['tool_use'], ['x']),
    effect: fc.constantFrom('deny', 'approve', 'deny_unless'),
    severity: fc.constantFrom('P1', 'P2', 'P3'),
    mode: fc.constantFrom('enforce', 'observe'),
  },
  { requiredKeys: ['effect', 'args'] },
);
const rules = fc
  .array(rule, { maxLength: 6 })
  .map((all): readonly RuleMember[] => all.map((one, at) => ({ id: `r${at}`, ...one })));
const FACTS = [
  { id: 'one', set_when: 'has(args.n)' },
  { id: 'two', set_when: 'args.n > 1' },
];

const anything = fc.anything({ maxDepth: 2, withNullPrototype: false });
const payload = fc.oneof(
  fc.record(
    {
      n: fc.oneof(number, anything),
      s: fc.oneof(fc.constantFrom('a', 'b', '/srv/x'), anything),
      o: fc.record({ n: number }),
    },
    { requiredKeys: [] },
  ),
  fc.json().map((text) => JSON.parse(text) as unknown),
  anything,
);

function judge(members: RuleMembers, value: unknown): RuleJudgement {
  const result = compileRules({ facts: FACTS, ...members }, PORTS);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return judgeRules(result.compiled, {
    action: { type: 'tool_use', tool_name: 't', payload: value },
    agent: { id: 'a' },
    time: 5,
  });
}

/** Enforced violations for each pair of facts, most severe first. */
function verdicts(judgement: RuleJudgement): readonly (readonly string[])[] {
  return [0, 1, 2, 3].map((values) =>
    [
      ...judgement.findings,
      ...judgement.conditional.filter(({ facts, truth }) => {
        const index = facts.reduce((bits, fact, bit) => bits | (((values >> fact) & 1) << bit), 0);
        return ((truth >> index) & 1) === 1;
      }),
    ]
      .filter(({ observe }) => !observe)
      .sort((a, b) => a.rank - b.rank)
      .map(({ violation }) => `${violation.rule} ${violation.violation_type}`),
  );
}

const denies = (judgement: RuleJudgement): readonly boolean[] => verdicts(judgement).map((all) => all.length > 0);

test('a judgement exists for every value, and is the same each time', () => {
  fc.assert(
    fc.property(rules, payload, (all, value) => {
      const judgement = judge({ rules: all }, value);
      expect(judge({ rules: all }, value)).toEqual(judgement);
      for (const { truth, facts } of judgement.conditional) {
        expect(truth).toBeGreaterThan(0);
        expect(truth).toBeLessThan(2 ** (2 ** facts.length));
      }
    }),
    { numRuns: runs(400) },
  );
});

test('a further rule never allows what was denied, and one that is tried changes nothing', () => {
  fc.assert(
    fc.property(rules, rule, payload, (all, more, value) => {
      const before = denies(judge({ rules: all }, value));
      const after = denies(judge({ rules: [...all, { id: 'more', ...more }] }, value));
      expect(before.every((denied, at) => !denied || after[at])).toBe(true);
      const tried = denies(judge({ rules: [...all, { id: 'more', ...more, mode: 'observe' }] }, value));
      expect(tried).toEqual(before);
    }),
    { numRuns: runs(400) },
  );
});

test('the order of rules changes which of equals is named, and no verdict', () => {
  fc.assert(
    fc.property(rules, payload, (all, value) => {
      const sorted = (judgement: RuleJudgement) => verdicts(judgement).map((one) => [...one].sort());
      expect(sorted(judge({ rules: [...all].reverse() }, value))).toEqual(sorted(judge({ rules: all }, value)));
    }),
    { numRuns: runs(300) },
  );
});
