import { compileRules, explainRules } from '../index.js';
import type { RuleMembers } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

function explain(members: RuleMembers, payload: unknown, facts: Readonly<Record<string, boolean | null>> = {}) {
  const result = compileRules(members, PORTS);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  const judged = { action: { type: 'tool_use', tool_name: 'refund', payload }, agent: { id: 'a' }, time: 0 };
  return explainRules(result.compiled, judged, facts);
}

test('every rule by itself, clause by clause', () => {
  const members: RuleMembers = {
    rules: [
      { id: 'cap', tools: ['refund'], args: { amount: { max: 100 } }, effect: 'deny_unless' },
      { id: 'other', tools: ['pay'], effect: 'deny' },
      { id: 'when', when: 'agent.id == "b" || has(args.x) && args.x > 1', effect: 'deny', mode: 'observe' },
      { id: 'both', args: { amount: { max: 10 } }, when: 'facts.seen', effect: 'deny' },
    ],
    facts: [{ id: 'seen', set_when: 'false' }],
  };
  expect(explain(members, { amount: 250 })).toEqual([
    {
      rule: 'rules:cap',
      result: 'matched',
      code: null,
      mode: 'enforce',
      reads: ['args.amount'],
      facts: [],
      clauses: [
        { text: 'has(args.amount)', result: true },
        { text: 'args.amount <= 100', result: false },
      ],
      would_allow: 'has(args.amount) && args.amount <= 100',
    },
    {
      rule: 'rules:other',
      result: 'not_applicable',
      code: null,
      mode: 'enforce',
      reads: [],
      facts: [],
      clauses: [],
      would_allow: null,
    },
    {
      rule: 'rules:when',
      result: 'passed',
      code: null,
      mode: 'observe',
      reads: ['agent.id', 'args.x'],
      facts: [],
      clauses: [
        { text: 'agent.id == "b"', result: false },
        { text: 'has(args.x)', result: false },
        { text: 'args.x > 1', result: 'not_reached' },
      ],
      would_allow: null,
    },
    {
      rule: 'rules:both',
      result: 'passed',
      code: null,
      mode: 'enforce',
      reads: ['args.amount', 'facts.seen'],
      facts: [{ id: 'seen', set: false }],
      clauses: [
        { text: 'args.amount <= 10', result: false },
        { text: 'facts.seen', result: 'not_reached' },
      ],
      would_allow: null,
    },
  ]);
});

test('errors, facts, and a text that quotes nothing of the action', () => {
  const members: RuleMembers = {
    rules: [
      { id: 'e', args: { amount: { min: 10 } }, effect: 'deny' },
      { id: 'f', when: 'facts.seen', effect: 'deny' },
    ],
    facts: [{ id: 'seen', set_when: 'false' }],
  };
  const explained = explain(members, { amount: 'SECRET-4711' }, { seen: true });
  expect(explained.map(({ result, code, would_allow }) => [result, code, would_allow])).toEqual([
    ['error', 'wrong_type', '!(args.amount >= 10)'],
    ['matched', null, '!(facts.seen)'],
  ]);
  expect(JSON.stringify(explained)).not.toContain('SECRET-4711');
});

test('a fact that is not known leaves open only the clauses that depend on it', () => {
  const members: RuleMembers = {
    rules: [
      { id: 'no-send', when: 'facts.seen && !facts.other && (has(args.sends) && args.sends == true)', effect: 'deny' },
    ],
    facts: [
      { id: 'seen', set_when: 'false' },
      { id: 'other', set_when: 'false' },
    ],
  };
  const [rule] = explain(members, { sends: false }, { seen: null, other: false });
  expect([rule?.result, rule?.facts]).toEqual([
    'passed',
    [
      { id: 'seen', set: null },
      { id: 'other', set: false },
    ],
  ]);
  expect(rule?.clauses.map(({ result }) => result)).toEqual(['unknown', true, true, false]);
});
