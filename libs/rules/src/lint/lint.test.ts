import fc from 'fast-check';
import type { RuleMember } from '@countersign/contracts';
import { compileRules, lintRules, lintSchemas } from '../index.js';
import type { CompiledRules, RuleMembers } from '../index.js';
import { compileCel } from '../cel/program.js';
import type { Program } from '../cel/program.js';
import { outcomeOf } from '../judge/judge-rules.js';
import { inputOf } from '../judge/variables.js';
import { OPTIONS, PORTS } from '../rules.test-kit.js';

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

describe('conditions in when', () => {
  test.each<[Partial<RuleMember>, string]>([
    [{ when: 'has(args.n) && args.n > 100 && args.n < 50' }, 'never_matches'],
    [{ when: 'has(args.n) && args.n > 100 && 100 >= args.n' }, 'never_matches'],
    [{ when: 'has(args.n) && args.n >= 5 && args.n <= 5 && args.n != 5' }, 'never_matches'],
    [{ when: "has(args.x) && args.x == 'a' && args.x == 'b'" }, 'never_matches'],
    [{ when: "has(args.x) && args.x in ['a', 'b'] && args.x in ['c', 'd']" }, 'never_matches'],
    [{ when: "has(args.x) && args.x == 'a' && args.x > 5" }, 'never_matches'],
    [{ when: "has(args.x) && args.x.startsWith('ab') && args.x == 'b'" }, 'never_matches'],
    [{ when: "has(args.x) && args.x.startsWith('ab') && args.x.startsWith('ac')" }, 'never_matches'],
    [{ when: 'facts.secret_read && !facts.secret_read' }, 'never_matches'],
    [{ when: 'has(args.x) && !(has(args.x)) || has(args.n) && !(args.n > 5) && args.n > 5' }, 'never_matches'],
    [{ when: 'has(args.x) && size(args.x) > 5 && size(args.x) < 3' }, 'never_matches'],
    [{ args: { n: { max: 5 } }, when: 'has(args.n) && args.n > 9' }, 'never_matches'],
    [{ args: { n: { max: 5 } }, when: 'has(args.n) && args.n > 9', effect: 'deny_unless' }, 'always_matches'],
    [{ when: 'has(args.n) && (args.n > 5 || args.n <= 5) || !has(args.n)' }, 'always_matches'],
    [{ when: "action.type == 'x' || action.type != 'x'" }, 'always_matches'],
  ])('%j: %s', (member, kind) => {
    const facts = [{ id: 'secret_read', set_when: 'has(args.x)' }];
    const found = lintRules(compiled({ facts, rules: [rule('a', member)] })).filter(({ place }) => place === 'rules:a');
    expect(found.map((one) => one.kind)).toEqual([kind]);
  });

  test.each<[Partial<RuleMember>, Partial<RuleMember>]>([
    [{ when: 'has(args.n) && args.n > 50' }, { when: 'has(args.n) && args.n > 100' }],
    [{ when: 'has(args.n) && args.n > 50' }, { when: "has(args.n) && args.n > 50 && agent.id == 'x'" }],
    [
      { when: "agent.id == 'x' && has(args.n) && args.n > 50" },
      { when: "has(args.n) && (args.n > 50 && agent.id == 'x')" },
    ],
    [{ args: { n: { max: 50 } }, effect: 'deny_unless' }, { when: 'has(args.n) && args.n > 80' }],
    [
      { tools: ['pay*'], when: "action.type in ['a', 'b']" },
      { tools: ['pay_now'], when: "action.type == 'a'" },
    ],
  ])('%j hides %j', (one, other) => {
    const found = (rules: readonly RuleMember[]) =>
      lintRules(compiled({ rules })).map(({ place, kind, message }) => `${place} ${kind} ${message.split(' ')[3]}`);
    expect(found([rule('a', one), rule('b', other)])).toEqual(['rules:b hidden rules:a']);
    expect(found([rule('b', other), rule('a', one)])).toHaveLength(1);
  });

  test('none hides what it lets pass, or what people approve', () => {
    const pairs: readonly (readonly [Partial<RuleMember>, Partial<RuleMember>])[] = [
      [{ when: 'has(args.n) && args.n > 100' }, { when: 'has(args.n) && args.n > 50' }],
      // Of a text the one is an error as well, of a member that is missing it is silent.
      [{ when: 'has(args.n) && args.n > 50' }, { args: { n: { max: 20 } }, effect: 'deny_unless' }],
      [
        { when: 'has(args.n) && args.n > 50', effect: 'approve' },
        { when: 'has(args.n) && args.n > 50', effect: 'approve' },
      ],
      [{ when: "has(args.x) && args.x == 'a'" }, { when: "has(args.x) && args.x in ['a', 'b']" }],
    ];
    for (const [one, other] of pairs)
      expect(lint({ rules: [rule('a', one), rule('b', other)] })).not.toContain('rules:b hidden');
  });
});

describe('no rule is accused of what it does not do', () => {
  const PATHS = ['args.a', 'args.b', 'args.b.c', 'action.type', 'facts.secret_read'];
  const LITERALS = ['1', '2', '2.5', '-1', "'a'", "'ab'", "'tool_use'", 'true', 'null', '9007199254740993.0'];
  const path = fc.constantFrom(...PATHS);
  const literal = fc.constantFrom(...LITERALS);
  const sign = fc.constantFrom('<', '<=', '>', '>=', '==', '!=');
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.tuple(path, sign, literal).map((parts) => parts.join(' ')),
      fc.tuple(literal, sign, path).map((parts) => parts.join(' ')),
      fc
        .tuple(path, fc.array(literal, { minLength: 1, maxLength: 3 }))
        .map(([at, all]) => `${at} in [${all.join(', ')}]`),
      fc.constantFrom('args.a', 'args.b', 'args.b.c').map((at) => `has(${at})`),
      fc
        .tuple(fc.constantFrom('args.a', 'args.b.c'), fc.constantFrom('a', 'ab'))
        .map(([at, part]) => `${at}.startsWith('${part}')`),
      fc.constantFrom('args.a + 1 > 2', 'size(args.a) > 1', 'facts.secret_read', 'args.a', 'true'),
      fc
        .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
      tie('condition').map((of) => `!(${of})`),
      fc.tuple(tie('condition'), tie('condition'), tie('condition')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    ),
  }));
  const matcher = fc.constantFrom<RuleMember['args']>(
    undefined,
    { a: { max: 2 } },
    { a: { min: 2, absent: 'allow' } },
    { 'b.c': { one_of: ['a', 2] } },
    { a: { absent: true } },
  );
  const member = fc.record({ when: condition, args: matcher, effect: fc.constantFrom('deny', 'deny_unless', 'deny') });
  const value = fc.constantFrom<unknown>(
    0,
    1,
    1.5,
    2,
    2.5,
    3,
    -1,
    2 ** 53 + 2,
    'a',
    'ab',
    'abc',
    'b',
    '',
    true,
    false,
    null,
    [],
    {},
  );
  const payload = fc.record(
    { a: value, b: fc.oneof(value, fc.record({ c: value }, { requiredKeys: [] })) },
    { requiredKeys: [] },
  );
  const facts = [{ id: 'secret_read', set_when: 'has(args.x)' }];

  test('by random conditions on random payloads', () => {
    let accused = 0;
    fc.assert(
      fc.property(fc.tuple(member, member), fc.array(payload, { minLength: 20, maxLength: 20 }), (two, payloads) => {
        const rules = two.map(({ args, effect }, at) => {
          return { effect, id: `r${at}`, when: 'true', ...(args === undefined ? {} : { args }) };
        });
        const whens = two.map(({ when }) => compileCel(when, { ...OPTIONS, presence: false }));
        fc.pre(whens.every((one) => 'program' in one));
        const simple = compiled({ facts, rules });
        const withWhen = simple.rules.map((one, at) => ({ ...one, when: (whens[at] as { program: Program }).program }));
        const all = { ...simple, rules: withWhen };
        const found = lintRules(all).filter(({ place }) => place.startsWith('rules:'));
        accused += found.length;
        for (const { index, kind, message } of found) {
          for (const one of payloads) {
            for (const isSet of [false, true]) {
              const judged = { action: { type: 'tool_use', payload: one }, agent: { id: 'x' }, time: 0 };
              const outcomes = all.rules.map((each) => outcomeOf(each, inputOf(judged, { secret_read: isSet })));
              if (kind === 'never_matches') expect(outcomes[index]).not.toBe('denied');
              if (kind === 'always_matches' && message.startsWith('denies every action'))
                expect(outcomes[index]).not.toBeNull();
              if (kind === 'hidden' && outcomes[index] !== null) expect(outcomes[1 - index]).not.toBeNull();
            }
          }
        }
      }),
      { numRuns: 1000 },
    );
    expect(accused).toBeGreaterThan(30);
  });
});
