import type { FactMember, LimitMember, RuleMember } from '@countersign/contracts';
import { compileRules, judgeRules } from '../index.js';
import type { CompiledRules, RuleMembers } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

function compiled(members: RuleMembers): CompiledRules {
  const result = compileRules(members, PORTS);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.compiled;
}

const rule = (member: Partial<RuleMember>): RuleMember => ({ id: 'r', effect: 'deny', ...member });
const judge = (members: RuleMembers, payload: unknown, action: Readonly<Record<string, unknown>> = {}) =>
  judgeRules(compiled(members), {
    action: { type: 'tool_use', tool_name: 'refund', payload, ...action },
    agent: { id: 'a' },
    time: 1_790_000_000,
    offsets: { 'Europe/Berlin': 60, UTC: 0 },
  });

/** Type, and code where there is one, of all findings of one rule. */
const found = (member: Partial<RuleMember>, payload: unknown) =>
  judge({ rules: [rule(member)] }, payload).findings.map(({ violation: { violation_type: type, detail } }) =>
    detail === null ? type : `${type}:${detail}`,
  );

describe('matchers', () => {
  const cases: readonly (readonly [Partial<RuleMember>, unknown, readonly string[]])[] = [
    [{ effect: 'deny_unless', args: { amount: { max: 100 } } }, { amount: 99.5 }, []],
    [{ effect: 'deny_unless', args: { amount: { max: 100 } } }, { amount: 100.5 }, ['rule_denied']],
    [{ effect: 'deny_unless', args: { amount: { max: 100 } } }, {}, ['rule_denied']],
    [{ effect: 'deny_unless', args: { amount: { max: 100 } } }, { amount: '5' }, ['rule_denied']],
    [{ effect: 'deny_unless', args: { amount: { max: 100 } } }, { amount: 2 ** 60 }, ['rule_denied']],
    [{ effect: 'deny_unless', args: { amount: { max: 100 } } }, 'text', ['rule_denied']],
    [{ effect: 'deny_unless', args: { amount: { max: 100, absent: 'allow' } } }, {}, []],
    [{ effect: 'deny_unless', args: { amount: { max: 100, absent: 'allow' } } }, { amount: 101 }, ['rule_denied']],
    [{ args: { amount: { min: 100 } } }, { amount: 100 }, ['rule_denied']],
    [{ args: { amount: { min: 100 } } }, { amount: 99 }, []],
    [{ args: { amount: { min: 100 } } }, {}, ['rule_error:absent']],
    [{ args: { amount: { min: 100 } } }, { amount: '500' }, ['rule_error:wrong_type']],
    [{ args: { amount: { min: 100 } } }, { amount: 2 ** 53 }, ['rule_error:number_too_large']],
    [{ args: { amount: { min: 100, absent: 'allow' } } }, {}, []],
    [{ args: { amount: { min: 100, absent: 'allow' } } }, { amount: [] }, ['rule_error:wrong_type']],
    [{ args: { 'customer.tier': { one_of: ['gold', 3] } } }, { customer: { tier: 3 } }, ['rule_denied']],
    [{ args: { 'customer.tier': { one_of: ['gold', 3] } } }, { customer: { tier: 'Gold' } }, []],
    [{ args: { 'customer.tier': { one_of: ['gold'] } } }, {}, ['rule_error:absent']],
    [{ effect: 'deny_unless', args: { 'customer.tier': { not_one_of: ['gold'] } } }, { customer: {} }, ['rule_denied']],
    [{ effect: 'deny_unless', args: { 'x-y': { prefix: "it's" } } }, { 'x-y': "it's me" }, []],
    [
      { effect: 'deny_unless', args: { path: { under: ['/srv/data'] } } },
      { path: '/srv/data/../etc' },
      ['rule_denied'],
    ],
    [{ effect: 'deny_unless', args: { path: { under: ['/srv/data'] } } }, { path: '/srv/data/a' }, []],
    [{ effect: 'deny_unless', args: { url: { host_in: ['*.acme.com'] } } }, { url: 'https://a.acme.com/' }, []],
    [
      { effect: 'deny_unless', args: { sql: { read_only_sql: true as const } } },
      { sql: 'DELETE FROM t' },
      ['rule_denied'],
    ],
    [{ effect: 'deny_unless', args: { note: { max_length: 3 } } }, { note: '😀😀😀' }, []],
    [{ effect: 'deny_unless', args: { note: { max_length: 3 } } }, { note: ['a', 'b', 'c', 'd'] }, ['rule_denied']],
    [{ args: { force: { present: true } } }, { force: null }, ['rule_denied']],
    [{ args: { force: { present: true } } }, {}, []],
    [{ args: { reason: { absent: true } } }, {}, ['rule_denied']],
    [{ args: JSON.parse('{"constructor":{"present":true}}') as RuleMember['args'] & object }, {}, []],
    [{ args: { __proto__x: { absent: true } } }, JSON.parse('{"__proto__":{"__proto__x":1}}'), ['rule_denied']],
  ];
  test.each(cases)('%j of %j: %j', (member, payload, result) => {
    expect(found(member, payload)).toEqual(result);
  });

  describe('domain_in on `to` applies to copies', () => {
    const inside = { effect: 'deny_unless', args: { to: { domain_in: ['acme.com'] } } } as const;
    test.each([
      [{ to: 'a@acme.com' }, []],
      [{ to: ['a@acme.com'], cc: [], bcc: null }, []],
      [{ to: 'a@acme.com', cc: 'b@acme.com' }, []],
      [{ to: 'a@acme.com', cc: 'b@evil.example' }, ['rule_denied']],
      [{ to: 'a@acme.com', bcc: ['b@evil.example'] }, ['rule_denied']],
      [{ to: [] }, ['rule_denied']],
      [{ cc: 'a@acme.com' }, ['rule_denied']],
    ])('%j: %j', (payload, result) => {
      expect(found(inside, payload)).toEqual(result);
    });
  });
});

describe('conditions', () => {
  test.each([
    [{ when: "has(args.path) && args.path.startsWith('/secrets/')" }, { path: '/secrets/x' }, ['rule_denied']],
    [{ when: 'has(args.n) && args.n > 3' }, { n: 'x' }, ['rule_error:wrong_type']],
    [{ effect: 'deny_unless', when: 'has(args.n) && args.n > 3' }, { n: 'x' }, ['rule_error:wrong_type']],
    [{ effect: 'deny_unless', when: 'has(args.n) && args.n > 3' }, {}, ['rule_denied']],
    [{ args: { n: { max: 5 } }, when: 'agent.id == "a"' }, { n: 3 }, ['rule_denied']],
    [{ args: { n: { max: 5 } }, when: 'agent.id == "b"' }, { n: 3 }, []],
    [{ args: { n: { max: 5 } }, when: 'agent.id == "a"' }, { n: 7 }, []],
    [{ effect: 'approve', hours: { zone: 'Europe/Berlin', days: 'mon-fri', outside: '07:00-19:00' } }, {}, []],
    [{ effect: 'approve', hours: { zone: 'UTC', inside: '00:00-24:00' } }, {}, ['approval_required']],
    [{ effect: 'approve', hours: { zone: 'Asia/Tokyo', inside: '00:00-24:00' } }, {}, ['rule_error:zone_unknown']],
    [{}, {}, ['rule_denied']],
  ] as const satisfies readonly (readonly [Partial<RuleMember>, unknown, readonly string[]])[])(
    '%j of %j: %j',
    (member, payload, result) => {
      expect(found(member, payload)).toEqual(result);
    },
  );
});

describe('the actions that a rule applies to', () => {
  test.each([
    [{ tools: ['refund'] }, { tool_name: 'refund' }, true],
    [{ tools: ['refund'] }, { tool_name: 'pay', toolName: 'refund' }, true],
    [{ tools: ['ref*'] }, { toolName: 'refund' }, true],
    [{ tools: ['refund'] }, { tool_name: 'Refund' }, false],
    [{ tools: ['refund'] }, { tool_name: undefined, type: 'refund' }, false],
    [{ types: ['tool_*'] }, {}, true],
    [{ types: ['http_call'] }, {}, false],
    [{ tools: ['refund'], types: ['http_call'] }, {}, false],
    [{ tools: ['pay', 'refund', 'ref*'], types: ['tool_use'] }, {}, true],
    [{}, { type: undefined, tool_name: undefined }, true],
  ])('%j, %j: %s', (targets, action, applies) => {
    const { findings, rulesApply } = judge(
      { rules: [rule({ id: 'other', tools: ['none'] }), rule(targets)] },
      {},
      action,
    );
    expect([findings.length, rulesApply]).toEqual(applies ? [1, true] : [0, false]);
  });
});

test('the most severe effect, then severity, then the first in the list; the policy has its own words', () => {
  const rules = [
    rule({ id: 'a', effect: 'approve', severity: 'P1' }),
    rule({ id: 'b', severity: 'P3' }),
    rule({ id: 'c', reason: 'refunds are closed', mode: 'observe' }),
    rule({ id: 'd' }),
    rule({ id: 'e', when: 'has(args.x) && args.x > 1' }),
  ];
  const { findings } = judge({ rules }, { x: 'y' });
  expect(findings.map(({ violation: { rule: name, severity }, observe }) => [name, severity, observe])).toEqual([
    ['rules:e', 'P1', false],
    ['rules:c', 'P2', true],
    ['rules:d', 'P2', false],
    ['rules:b', 'P3', false],
    ['rules:a', 'P1', false],
  ]);
  expect(findings[1]!.violation.reason).toBe('refunds are closed');
  expect(findings[2]!.violation).toEqual({
    violation_type: 'rule_denied',
    severity: 'P2',
    reason: "The action is denied by rule d. Take another action, or have the agent's profile changed.",
    rule: 'rules:d',
    detail: null,
  });
});

describe('facts', () => {
  const fact = (id: string, member: Partial<FactMember> = {}): FactMember => ({ id, set_when: 'false', ...member });
  const facts = [fact('one'), fact('two'), fact('three'), fact('four'), fact('five')];

  test('a rule is judged for each of their values', () => {
    const { conditional, findings } = judge(
      {
        facts,
        rules: [rule({ when: 'facts.four && !facts.two' }), rule({ id: 's', when: 'facts.one || has(args.x)' })],
      },
      {},
    );
    expect(findings).toEqual([]);
    expect(conditional.map(({ facts: read, truth }) => [read, truth])).toEqual([
      [[1, 3], 0b0100],
      [[0], 0b10],
    ]);
  });

  test('an error is a finding of its own, for the values that give it', () => {
    const { conditional } = judge({ facts, rules: [rule({ when: 'facts.one ? int("x") > 1 : facts.three' })] }, {});
    expect(conditional.map(({ truth, violation }) => [truth, violation.violation_type, violation.detail])).toEqual([
      [0b1010, 'rule_error', 'not_convertible'],
      [0b0100, 'rule_denied', null],
    ]);
  });

  test('more than four are refused', () => {
    const when = facts.map(({ id }) => `facts.${id}`).join(' && ');
    expect(compileRules({ facts, rules: [rule({ when })] }, PORTS)).toMatchObject({
      problems: [{ list: 'rules', id: 'r', member: 'when', message: 'reads 5 facts, and 4 are the most' }],
    });
  });

  test('are set by a condition or an error in it, and not by another tool', () => {
    const set = [
      fact('secret', { set_when: "args.path.startsWith('/secrets/')" }),
      fact('checked', { set_when: 'true', on: 'checked' }),
      fact('other', { set_when: 'true', tools: ['none'] }),
      fact('no'),
    ];
    expect(judge({ facts: set }, { path: '/tmp' }).facts).toEqual([{ fact: 1, on: 'checked' }]);
    expect(judge({ facts: set }, {}).facts).toEqual([
      { fact: 0, on: 'allowed' },
      { fact: 1, on: 'checked' },
    ]);
  });
});

describe('limits', () => {
  const limit = (member: Partial<LimitMember>): LimitMember => ({ id: 'l', window_seconds: 3600, ...member });
  const only = (member: Partial<LimitMember>, payload: unknown) => {
    const { limits, findings } = judge({ limits: [limit(member)] }, payload);
    return [
      ...limits.map(({ amount, max }) => `${amount}/${max}`),
      ...findings.map(({ violation }) => `${violation.rule} ${String(violation.detail)}`),
    ];
  };
  const sum = { sum: 'args.amount', max_sum: '500.00' } as const;

  test.each([
    [{ max_count: 5 }, {}, ['1/5']],
    [{ max_count: 5, key: 'args.to[0]' }, { to: ['a'] }, ['1/5']],
    [{ max_count: 5, key: 'args.to[0]' }, { to: [] }, ['limits:l absent']],
    [{ max_count: 5, key: 'args.to' }, { to: ['a'] }, ['limits:l not_a_key']],
    [{ max_count: 5, key: 'args.to' }, { to: null }, ['limits:l not_a_key']],
    [{ max_count: 5, key: 'args.to' }, { to: '\ud800' }, ['limits:l not_a_key']],
    [sum, { amount: 12.5 }, ['12500000000/500000000000']],
    [sum, { amount: '0.000000001' }, ['1/500000000000']],
    [sum, { amount: '0.0000000001' }, ['limits:l not_convertible']],
    [sum, { amount: -1 }, ['limits:l negative_sum']],
    [sum, { amount: true }, ['limits:l wrong_type']],
    [sum, {}, ['limits:l absent']],
    [sum, { amount: 2 ** 53 }, ['limits:l number_too_large']],
  ])('%j of %j: %j', (member, payload, result) => {
    expect(only(member, payload)).toEqual(result);
  });

  test('a key is the hash of the canonical JSON of limit and value', () => {
    const keyOf = (to: unknown) => judge({ limits: [limit({ max_count: 1, key: 'args.to' })] }, { to }).limits[0]!.key;
    // sha256 of ["l","é"]
    expect(keyOf('é')).toBe('1c57359913390264cad019d42a70a8e0e53d2e2436ae9068bf4f345807b93a88');
    expect(keyOf(1)).not.toBe(keyOf('1'));
    expect(keyOf(true)).not.toBe(keyOf('true'));
  });
});
