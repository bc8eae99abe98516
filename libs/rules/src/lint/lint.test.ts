import type { RuleMember } from '@countersign/contracts';
import { compileRules, lintRules, lintSchemas } from '../index.js';
import type { CompiledRules, RuleMembers } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

function compiled(members: RuleMembers): CompiledRules {
  const result = compileRules(members, PORTS);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.compiled;
}

const lint = (members: RuleMembers) => lintRules(compiled(members)).map(({ place, kind }) => `${place} ${kind}`);
const rule = (id: string, member: Partial<RuleMember>): RuleMember => ({ id, effect: 'deny', ...member });

describe('rules without effect', () => {
  test.each<[RuleMembers['rules'], readonly string[]]>([
    [[rule('a', { args: { n: { max: 100 } } })], []],
    [[rule('a', { effect: 'deny_unless', args: { n: { max: 100 } } })], []],
    [[rule('a', { args: { n: { min: 10, one_of: [1, 2] } } })], ['rules:a never_matches']],
    [[rule('a', { args: { p: { under: ['/srv'], prefix: '/etc' } } })], ['rules:a never_matches']],
    [[rule('a', { effect: 'deny_unless', args: { n: { min: 10, one_of: [1, 2] } } })], ['rules:a always_matches']],
    [[rule('a', { args: { n: { max: 100 } } }), rule('b', { args: { n: { max: 50 } } })], ['rules:b hidden']],
    [[rule('a', { args: { n: { max: 50 } } }), rule('b', { args: { n: { max: 100 } } })], ['rules:a hidden']],
    [[rule('a', { args: { n: { max: 50 } } }), rule('b', { args: { n: { max: 50 } } })], ['rules:b hidden']],
    [[rule('a', { tools: ['x*'] }), rule('b', { tools: ['xy'], args: { n: { max: 50 } } })], ['rules:b hidden']],
    [[rule('a', { tools: ['x'] }), rule('b', { tools: ['y'], args: { n: { max: 50 } } })], []],
    [[rule('a', { mode: 'observe' }), rule('b', { args: { n: { max: 50 } } })], []],
    [[rule('a', { severity: 'P3' }), rule('b', { severity: 'P1', args: { n: { max: 50 } } })], []],
    [[rule('a', { effect: 'approve' }), rule('b', { args: { n: { max: 50 } } })], []],
    [[rule('a', {}), rule('b', { effect: 'approve', args: { n: { max: 50 } } })], ['rules:b hidden']],
    [[rule('a', { when: 'true' }), rule('b', { args: { n: { max: 50 } } })], ['rules:a always_matches']],
    [[rule('a', { when: '1 < 2', args: { n: { max: 50 } } })], []],
    [[rule('a', { effect: 'deny_unless', when: '1 > 2' })], ['rules:a always_matches']],
    [[rule('a', { when: "request.time > timestamp('2026-01-01T00:00:00Z')" })], []],
    [[rule('a', { when: 'principal == "x"' })], []],
    [[rule('a', { when: '1 > 2' })], ['rules:a never_matches']],
    [[rule('a', { effect: 'deny_unless', when: '1 < 2' })], ['rules:a never_matches']],
    [[rule('a', { effect: 'deny_unless', when: '1 < 2', args: { n: { present: true } } })], []],
    [[rule('a', { when: 'has(action.tol_name)' })], ['rules:a unknown_member']],
    [[rule('a', { when: 'has(action.cart) && has(action.tool_name)' })], []],
    [[rule('a', { when: 'has(args.l) && args.l.all(i, i in args.l)' })], ['rules:a costly']],
  ])('%j: %j', (rules, findings) => {
    expect(lint({ rules: rules! })).toEqual(findings);
  });
});

test('of a hundred rules, which read different members, each that an earlier one hides', () => {
  const matchers = [{ max: 100 }, { under: ['/srv/data'] }, { domain_in: ['acme.com'] }, { one_of: ['a', 'b'] }];
  const rules = Array.from({ length: 100 }, (_, at) =>
    rule(`r${at}`, { effect: 'deny_unless', args: { [`m${at % 50}`]: matchers[at % 2]! } }),
  );
  expect(lint({ rules })).toEqual(rules.slice(50).map(({ id }) => `rules:${id} hidden`));
  const apart = rules.map((one, at) => ({ ...one, args: { [`m${at}`]: matchers[at % 4]! } }));
  expect(lint({ rules: apart })).toEqual([]);
});

test('facts that are never read or set', () => {
  const facts = [
    { id: 'read', set_when: 'has(args.x)' },
    { id: 'unread', set_when: 'has(args.x)' },
    { id: 'unset', set_when: '1 > 2' },
  ];
  expect(lint({ facts, rules: [rule('a', { when: 'facts.read && facts.unset' })] })).toEqual([
    'facts:unread never_read',
    'facts:unset never_set',
  ]);
});

test('misspelt members of the action, with their position and a proposal', () => {
  const when = "'tol_name' == 'x' || has(action.tol_name)";
  expect(lintRules(compiled({ rules: [rule('o', { tools: ['x'] }), rule('a', { when })] }))).toEqual([
    {
      place: 'rules:a',
      index: 1,
      kind: 'unknown_member',
      member: 'when',
      position: { start: when.lastIndexOf('tol_name'), end: when.lastIndexOf('tol_name') + 8 },
      message: expect.stringContaining('Did you mean action.tool_name?'),
      proposal: 'action.tool_name',
    },
  ]);
});

test('no more combinations are tried than asked', () => {
  const rules = [rule('a', { args: { n: { max: 50 } } }), rule('b', { args: { n: { max: 50 } } })];
  expect(lintRules(compiled({ rules }), 5)).toEqual([]);
  expect(lintRules(compiled({ rules }), 500)).toHaveLength(1);
});

describe('schemas of tools', () => {
  const refund = {
    type: 'object',
    properties: {
      amount: { type: 'number' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      items: { type: 'array', items: { $ref: '#/$defs/item' } },
      open: { type: 'object', additionalProperties: true },
      to: { type: 'string' },
    },
    $defs: { item: { type: 'object', properties: { price: { type: 'integer' } } } },
  };
  const findings = (members: RuleMembers) =>
    lintSchemas(compiled(members), { refund, other: { type: 'object', properties: { x: {} } } }, PORTS).map(
      ({ place, kind, message }) => `${place} ${kind}: ${message}`,
    );
  const ofRefund = (member: Partial<RuleMember>) => findings({ rules: [rule('a', { tools: ['refund'], ...member })] });

  test.each<[Partial<RuleMember>, readonly string[]]>([
    [{ args: { amount: { max: 5 } } }, []],
    [{ args: { to: { domain_in: ['acme.com'] } } }, []],
    [
      { args: { amuont: { max: 5 } } },
      ['rules:a unknown_member: reads args.amuont, which tool refund does not take. Did you mean args.amount?'],
    ],
    [
      { args: { zzz: { max: 5 } } },
      [
        'rules:a unknown_member: reads args.zzz, which tool refund does not take: it takes amount, note, items, open, to',
      ],
    ],
    [{ args: { 'open.any': { max: 5 } } }, []],
    [
      { args: { note: { max: 5 } } },
      ['rules:a type: applies <= to a text and an integer, by the schema of tool refund'],
    ],
    [
      { args: { amount: { prefix: 'x' } } },
      ['rules:a type: calls startsWith with a number, where a text is needed, by the schema of tool refund'],
    ],
    [
      { when: 'has(args.amount) && args.amount == "5"' },
      ['rules:a type: applies == to a number and a text, by the schema of tool refund'],
    ],
    [
      { when: 'has(args.items) && args.items.all(i, has(i.prize) && i.prize < 5)' },
      [
        'rules:a unknown_member: reads args.items[].prize, which tool refund does not take. Did you mean args.items[].price?',
      ],
    ],
    [{ when: 'has(args.amount) && args.amount + 1 > 5', tools: ['ref*'] }, []],
  ])('%j: %j', (member, expected) => {
    expect(ofRefund(member)).toEqual(expected);
  });

  test('apply to facts and limits as well, and to no other tool', () => {
    expect(
      findings({
        facts: [{ id: 'f', tools: ['refund'], set_when: 'args.nope == 1' }],
        limits: [{ id: 'l', tools: ['refund'], key: 'args.tos', max_count: 1, window_seconds: 5 }],
        rules: [rule('a', { tools: ['pay'], args: { nope: { max: 5 } } })],
      }),
    ).toEqual([
      'facts:f unknown_member: reads args.nope, which tool refund does not take. Did you mean args.note?',
      'limits:l unknown_member: reads args.tos, which tool refund does not take. Did you mean args.to?',
    ]);
  });
});
