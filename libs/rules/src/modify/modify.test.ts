import type { JsonValue, PatchOperation, RuleMember } from '@countersign/contracts';
import fc from 'fast-check';
import { compileRules, explainRules, judgeRules, lintRules, problemText } from '../index.js';
import type { CompiledRules, RuleMembers } from '../index.js';
import { PORTS } from '../rules.test-kit.js';
import { patched, UNFIT } from './apply-patch.js';

function compiled(members: RuleMembers): CompiledRules {
  const result = compileRules(members, PORTS);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.compiled;
}

function problem(member: object): string | null {
  const result = compileRules({ rules: [{ id: 'r', effect: 'modify', ...member }] }, PORTS);
  return 'problems' in result ? problemText(result.problems[0]!) : null;
}

const judged = (payload: unknown, more: object = {}) => ({
  action: { type: 'tool_use', tool_name: 'refund', payload, ...more },
  agent: { id: 'a' },
  time: 1_790_000_000,
});

const CAP: RuleMember = {
  id: 'cap',
  effect: 'modify',
  when: 'has(args.amount) && args.amount > 100.0',
  patch: [{ op: 'replace', path: '/payload/amount', value: 100 }],
};

describe('the cost of patches', () => {
  const rules = (count: number): CompiledRules =>
    compiled({
      rules: Array.from({ length: count }, (_, i): RuleMember => ({
        id: `r${i}`,
        effect: 'modify',
        when: 'has(args.amount) && args.amount > 100.0',
        patch: [{ op: 'replace', path: '/payload/amount', value: 100 }],
      })),
    });
  const membersOf = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));
  const patches = (count: number, payload: object): number =>
    judgeRules(rules(count), judged({ ...payload, amount: 500 })).findings.filter(
      ({ violation }) => violation.extras?.patch !== undefined,
    ).length;

  it('is bounded for all rules of a judgement: what would copy more is denied without a patch', () => {
    expect(patches(1, membersOf(9_900))).toBe(1);
    expect(patches(1, membersOf(10_100))).toBe(0);
    expect(patches(90, membersOf(900))).toBeGreaterThan(5);
    expect(patches(90, membersOf(900))).toBeLessThan(12);
    expect(judgeRules(rules(90), judged({ ...membersOf(10_100), amount: 500 })).findings).toHaveLength(90);
  });
});

describe('the operations of a patch', () => {
  const cases: readonly (readonly [JsonValue, readonly PatchOperation[], JsonValue | typeof UNFIT])[] = [
    [{ a: 1 }, [{ op: 'add', path: '/b', value: [2] }], { a: 1, b: [2] }],
    [{ a: 1 }, [{ op: 'add', path: '/a', value: null }], { a: null }],
    [{ a: 1 }, [{ op: 'replace', path: '/a', value: 2 }], { a: 2 }],
    [{ a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], UNFIT],
    [{ a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    [{ a: 1 }, [{ op: 'remove', path: '/b' }], UNFIT],
    [{ a: { b: { c: 1 } } }, [{ op: 'replace', path: '/a/b/c', value: 2 }], { a: { b: { c: 2 } } }],
    [{ a: 1 }, [{ op: 'add', path: '/a/b', value: 2 }], UNFIT],
    [{ a: {} }, [{ op: 'add', path: '/b/c', value: 2 }], UNFIT],
    [{ 'a/b': 1, 'm~n': 2 }, [{ op: 'replace', path: '/a~1b', value: 3 }], { 'a/b': 3, 'm~n': 2 }],
    [{ 'm~n': 2, '~1': 1 }, [{ op: 'remove', path: '/~01' }], { 'm~n': 2 }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/1', value: 9 }], { a: [1, 9, 2] }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/-', value: 9 }], { a: [1, 2, 9] }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/2', value: 9 }], { a: [1, 2, 9] }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/3', value: 9 }], UNFIT],
    [{ a: [1, 2] }, [{ op: 'replace', path: '/a/-', value: 9 }], UNFIT],
    [{ a: [1, 2] }, [{ op: 'replace', path: '/a/01', value: 9 }], UNFIT],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    [{ a: [{ b: 1 }] }, [{ op: 'replace', path: '/a/0/b', value: 2 }], { a: [{ b: 2 }] }],
    [{ constructor: 1 }, [{ op: 'remove', path: '/toString' }], UNFIT],
    [
      { a: 1 },
      [
        { op: 'add', path: '/b', value: 1 },
        { op: 'remove', path: '/a' },
      ],
      { b: 1 },
    ],
  ];
  test.each(cases)('%j after %j', (value, patch, result) => {
    const before = JSON.stringify(value);
    expect(patched(value, patch)).toEqual(result);
    expect(JSON.stringify(value)).toBe(before);
  });

  test('any value at any member: added, it is there; removed, the rest is as before', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (object, name, value) => {
        fc.pre(name !== '__proto__' && !Object.hasOwn(object, name));
        const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const added = patched(object as JsonValue, [{ op: 'add', path, value: value as JsonValue }]);
        expect(added).toEqual({ ...object, [name]: value });
        expect(patched(added as JsonValue, [{ op: 'remove', path }])).toEqual(object);
      }),
    );
  });
});

describe('a rule that modifies', () => {
  test('denies with the patch after which it finds nothing, and with no other', () => {
    const rules = compiled({ rules: [CAP] });
    const [finding] = judgeRules(rules, judged({ amount: 500 })).findings;
    expect(finding!.violation).toMatchObject({
      violation_type: 'rule_denied',
      rule: 'rules:cap',
      extras: { decision: 'modify', next_action: 'modify', patch: CAP.patch },
    });
    expect(judgeRules(rules, judged({ amount: 100 })).findings).toEqual([]);
  });

  test('leaves out operations on members that the action does not have', () => {
    const rules = compiled({
      rules: [
        {
          id: 'copies',
          effect: 'modify',
          when: 'has(args.bcc) || has(args.cc)',
          patch: [
            { op: 'remove', path: '/payload/bcc' },
            { op: 'remove', path: '/payload/cc' },
          ],
        },
      ],
    });
    const [finding] = judgeRules(rules, judged({ cc: 'a@acme.com' })).findings;
    expect(finding!.violation.extras).toMatchObject({ patch: [{ op: 'remove', path: '/payload/cc' }] });
  });

  test('denies without a patch where that would not make the action allowed', () => {
    const rules = compiled({ rules: [{ ...CAP, patch: [{ op: 'replace', path: '/payload/amount', value: 101 }] }] });
    const [finding] = judgeRules(rules, judged({ amount: 500 })).findings;
    expect(finding!.violation.extras).toEqual({ decision: 'modify', next_action: 'none' });
    const unfit = compiled({ rules: [{ ...CAP, patch: [{ op: 'remove', path: '/metadata/x' }] }] });
    expect(judgeRules(unfit, judged({ amount: 500 })).findings[0]!.violation.extras).toEqual({
      decision: 'modify',
      next_action: 'none',
    });
  });

  test('where it reads facts, has the patch for those values that it helps with', () => {
    const rules = compiled({
      facts: [{ id: 'checked', set_when: 'true' }],
      rules: [{ ...CAP, when: 'has(args.amount) && (args.amount > 100.0 || facts.checked)' }],
    });
    const found = judgeRules(rules, judged({ amount: 500 })).conditional.map(({ truth, violation }) => [
      truth,
      violation.extras?.next_action,
    ]);
    expect(found).toEqual([
      [0b01, 'modify'],
      [0b10, 'none'],
    ]);
  });

  test.each([
    [{}, 'rules[0] "r", patch: is missing: write the change after which it is allowed'],
    [{ patch: [] }, 'rules[0] "r", patch: must not be empty'],
    [
      { patch: [{ op: 'move', path: '/payload/a' }] },
      'rules[0] "r", patch[0].op: must be "add" or "replace" or "remove"',
    ],
    [{ patch: [{ op: 'remove', path: '' }] }, 'must have at least 2 characters'],
    [{ patch: [{ op: 'remove', path: 'payload' }] }, 'must match'],
    [{ patch: [{ op: 'remove', path: '/payload/~2' }] }, 'must match'],
    [{ patch: [{ op: 'remove', path: '/payload/a', value: 1 }] }, 'is given for remove'],
    [{ patch: [{ op: 'add', path: '/payload/a' }] }, 'needs a value, which add sets'],
    [{ patch: [{ op: 'replace', path: '/type', value: 'x' }] }, 'a patch keeps type, tool_name and toolName'],
    [{ patch: [{ op: 'replace', path: '/toolName', value: 'x' }] }, 'a patch keeps type, tool_name and toolName'],
    [{ patch: [{ op: 'remove', path: '/payload/__proto__' }] }, 'names __proto__'],
    [{ patch: [{ op: 'add', path: '/payload/a', value: [2 ** 60] }] }, 'beyond 2^53'],
    [{ patch: [{ op: 'add', path: '/payload/a', value: ['\ud800'] }] }, 'surrogate pair'],
    [{ patch: [{ op: 'add', path: '/payload/a', value: 'x'.repeat(4096) }] }, 'more than 4096 characters of JSON'],
    [{ patch: Array.from({ length: 17 }, () => ({ op: 'remove', path: '/payload/a' })) }, 'more than 16 entries'],
    [{ effect: 'deny', patch: [{ op: 'remove', path: '/payload/a' }] }, 'is given without the effect modify'],
    [{ effect: 'deny', missing: ['x'] }, 'is given without the effect defer'],
    [{ effect: 'defer', tools: ['x'] }, 'say what it waits for'],
  ])('%j is refused', (member, words) => {
    expect(problem(member)).toContain(words);
  });

  test('lint finds a patch after which the rule still denies', () => {
    const rule: RuleMember = { id: 'r', effect: 'modify', args: { amount: { min: 100 } }, patch: CAP.patch! };
    const kinds = lintRules(compiled({ rules: [rule] })).map(({ kind }) => kind);
    expect(kinds).toEqual(['patch_in_vain']);
    const patch = [{ op: 'replace', path: '/payload/amount', value: 99 } as const];
    expect(lintRules(compiled({ rules: [{ ...rule, patch }] }))).toEqual([]);
  });
});

describe('a rule that defers', () => {
  test('says what is missing: what it names, else what it reads, facts first', () => {
    const rule: RuleMember = { id: 'kyc', effect: 'defer', when: 'has(args.amount) && !facts.kyc_done' };
    const facts = [{ id: 'kyc_done', set_when: 'true' }];
    const extras = (more: Partial<RuleMember>) =>
      judgeRules(compiled({ facts, rules: [{ ...rule, ...more }] }), judged({ amount: 1 })).conditional[0]!.violation
        .extras;
    expect(extras({})).toEqual({
      decision: 'defer',
      next_action: 'retry',
      missing: ['facts.kyc_done', 'args.amount'],
      retry_after: 30,
    });
    expect(extras({ missing: ['the identity of the customer'], retry_after_seconds: 600 })).toMatchObject({
      missing: ['the identity of the customer'],
      retry_after: 600,
    });
  });
});

test('a denial outweighs a change, that a wait, and both an approval, whatever their severity and order', () => {
  const effects = ['approve', 'defer', 'modify', 'deny'] as const;
  const rules = effects.map((effect, at): RuleMember => {
    const more = effect === 'modify' ? { patch: CAP.patch! } : effect === 'defer' ? { missing: ['x'] } : {};
    return { id: effect, effect, severity: at === 0 ? 'P1' : 'P3', ...more };
  });
  const { findings } = judgeRules(compiled({ rules }), judged({ amount: 500 }));
  expect(findings.map(({ violation }) => violation.rule)).toEqual([
    'rules:deny',
    'rules:modify',
    'rules:defer',
    'rules:approve',
  ]);
});

test('an explanation has the clauses of both effects', () => {
  const [explained] = explainRules(compiled({ rules: [CAP] }), judged({ amount: 500 }));
  expect(explained).toMatchObject({ result: 'matched', clauses: [{ result: true }, { result: true }] });
});
