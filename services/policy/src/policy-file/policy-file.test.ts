import fc from 'fast-check';
import { PolicyFileProblem, readPolicyFile } from './read-policy-file.js';
import { runCases } from './run-cases.js';

const CASE = { title: 'one', action: { type: 'wire' }, expect: 'off_limits_action' };
const PROFILE = { off_limits_actions: ['wire'] };

describe('the file of a policy', () => {
  it.each([
    ['no object', [], 'the file must be an object'],
    ['neither profile nor rules', { cases: [] }, 'give either profile or rules'],
    ['both', { profile: {}, rules: {} }, 'give either profile or rules'],
    [
      'an unknown member',
      { profile: {}, more: 1 },
      'unknown field "more". Known fields: id, name, description, profile, rules, cases',
    ],
    ['what a PATCH refuses', { profile: { blocked_apis: ['a*b'] } }, /^profile: blocked_apis\[0\] /],
    [
      'a field in other words',
      { profile: { refund_limit: 1 } },
      'unknown field "refund_limit". Did you mean "spending_limit" or "rate_limit"?',
    ],
    ['an unknown field', { profile: { no_rule: 1 } }, 'profile: unknown field "no_rule". Known fields: '],
    [
      'a case without an action',
      { profile: {}, cases: [{ title: 'x', expect: 'allowed' }] },
      'cases[0]: action is required',
    ],
    [
      'an unknown verdict',
      { profile: {}, cases: [{ ...CASE, expect: 'no' }] },
      /^cases\[0\]: expect must be one of "allowed"/,
    ],
    [
      'an empty expectation',
      { profile: {}, cases: [{ ...CASE, expect: {} }] },
      'cases[0]: expect must have at least 1 field',
    ],
    ['an unknown member of a case', { profile: {}, cases: [{ ...CASE, more: 1 }] }, 'cases[0]: unknown field "more"'],
    ['no time', { profile: {}, cases: [{ ...CASE, at: 'noon' }] }, /^cases\[0\]: at must be a time/],
    [
      'a step back in time',
      { profile: {}, cases: [{ title: 'x', steps: [{ ...step(9), expect: 'allowed' }, step(8)] }] },
      'cases[0].steps[1]: at lies before the step before',
    ],
    [
      'steps that expect nothing',
      { profile: {}, cases: [{ title: 'x', steps: [step(1)] }] },
      'cases[0]: no step expects anything',
    ],
  ])('with %s is refused', (_what, value, words) => {
    expect(() => readPolicyFile(value)).toThrow(words);
    expect(() => readPolicyFile(value)).toThrow(PolicyFileProblem);
  });

  it('has profile or rules, and cases that say what comes', () => {
    expect(runCases(readPolicyFile({ profile: PROFILE, cases: [CASE] }))).toEqual([]);
    expect(runCases(readPolicyFile({ id: 'a', name: 'A', description: 'd', rules: PROFILE, cases: [CASE] }))).toEqual(
      [],
    );
    expect(readPolicyFile({ profile: PROFILE })).toMatchObject({ kind: 'profile', cases: [], patch: PROFILE });
  });

  it('names the first step that fails, with what was expected and what came', () => {
    const steps = [
      { action: { type: 'tool_use', estimatedCost: 6 }, expect: 'allowed' },
      { action: { type: 'tool_use', estimatedCost: 6 }, expect: { allowed: false, rule: 'spending_limit:11' } },
      { action: { type: 'tool_use' }, expect: 'rate_limit_exceeded' },
    ];
    const [failure, ...more] = runCases(
      readPolicyFile({ profile: { spending_limit: 10 }, cases: [{ title: 'spends', steps }] }),
    );
    expect(more).toEqual([]);
    expect(failure).toEqual({
      title: 'spends',
      step: 2,
      expected: { allowed: false, rule: 'spending_limit:11' },
      came: {
        allowed: false,
        violation_type: 'spending_limit_exceeded',
        rule: 'spending_limit:10',
        severity: 'P2',
        reason: expect.stringContaining('spending limit'),
        detail: 'limit 10 USD per day, 6 USD already counted',
        code: null,
        category: null,
        pii_kind: null,
        matched_topic: null,
        decision: null,
      },
    });
  });

  it('refuses what follows a denial that freezes the agent, as a gateway does', () => {
    const steps = [
      { action: { type: 'wire' }, expect: 'off_limits_action' },
      { action: { type: 'read' }, expect: 'agent_frozen' },
      { action: { type: 'read' }, times: 2, expect: { code: 'agent_frozen', violation_type: null, severity: 'P1' } },
    ];
    const cases = [{ title: 'freezes', steps }];
    const failed = (profile: object): (number | null)[] =>
      runCases(readPolicyFile({ profile, cases })).map(({ step }) => step);
    expect(failed({ ...PROFILE, freeze_on_violation: true })).toEqual([]);
    expect(failed(PROFILE)).toEqual([2]);
    expect(failed({ ...PROFILE, freeze_on_violation: true, mode: 'observe' })).toEqual([1]);
  });

  it('compares what an answer says of the output, and names the member of an expectation is not known', () => {
    const action = { type: 'mail', payload: { text: 'to a@example.com' } };
    const profile = { output_rules: { blocked_pii: ['email'] } };
    const found = { violation_type: 'unsafe_output', category: 'pii', pii_kind: 'email', matched_topic: null };
    const file = (expect: object): object => ({ profile, cases: [{ title: 'mail', action, expect }] });
    expect(runCases(readPolicyFile(file(found)))).toEqual([]);
    expect(runCases(readPolicyFile(file({ ...found, pii_kind: 'iban' })))).toHaveLength(1);
    expect(() => readPolicyFile(file({ pii: 'email' }))).toThrow(
      'cases[0]: unknown field "expect.pii". Did you mean "expect.pii_kind"?',
    );
  });

  it('takes denied for a denial by any rule', () => {
    const cases = (expect: string): object[] => [{ title: 'wire', action: { type: 'wire' }, expect }];
    expect(runCases(readPolicyFile({ profile: PROFILE, cases: cases('denied') }))).toEqual([]);
    expect(runCases(readPolicyFile({ profile: {}, cases: cases('denied') }))).toHaveLength(1);
  });

  it('counts in windows of its own times', () => {
    const action = { type: 'tool_use', estimatedCost: 10 };
    const profile = { spending_limit: 10, spending_window: 'day', rate_limit: { max: 2, per_seconds: 86_400 } };
    const times = [
      { action, at: '2026-05-01T23:59:59.999Z', expect: 'allowed' },
      { action, expect: 'spending_limit_exceeded' },
      { action, at: '2026-05-02T00:00:00Z', expect: 'allowed' },
      { action: { type: 'tool_use' }, at: 2, expect: 'rate_limit_exceeded' },
      { action: { type: 'tool_use' }, at: 86_400, times: 1, expect: 'allowed' },
      { action: { type: 'tool_use' }, at: 86_400, times: 2, expect: { violation_type: 'rate_limit_exceeded' } },
    ];
    expect(runCases(readPolicyFile({ profile, cases: [{ title: 'days', steps: times }] }))).toEqual([]);
  });

  describe('with checks given before those of a case', () => {
    const read = { type: 'tool_use', tool_name: 'read', metadata: { session: 's' } };
    const send = { type: 'tool_use', tool_name: 'send', metadata: { session: 's' } };
    const profile = {
      facts: [{ id: 'seen', tools: ['read'], set_when: 'true', scope: 'session', ttl_seconds: 60 }],
      rules: [{ id: 'quiet', tools: ['send'], when: 'facts.seen', effect: 'deny' }],
      limits: [{ id: 'thrice', tools: ['pay'], max_count: 3, window_seconds: 3600 }],
    };
    const run = (...cases: unknown[]) => runCases(readPolicyFile({ profile, cases }));
    const denied = { violation_type: 'rule_denied', rule: 'rules:quiet' };

    it('judges facts and limits by them, at their times', () => {
      const pay = { type: 'tool_use', tool_name: 'pay' };
      expect(
        run(
          { title: 'fresh', action: send, expect: 'allowed' },
          { title: 'fact', given: [{ action: read }], action: send, expect: denied },
          { title: 'expired', given: [{ action: read }], at: 61, action: send, expect: 'allowed' },
          { title: 'full', given: [{ action: pay, times: 3 }], action: pay, at: 3599, expect: 'limit_exceeded' },
          { title: 'slid', given: [{ action: pay, times: 3 }], steps: [{ action: pay, at: 3601, expect: 'allowed' }] },
        ),
      ).toEqual([]);
    });

    it('fails where one of them is denied, or the case comes out otherwise', () => {
      expect(
        run(
          { title: 'denied', given: [{ action: read }, { action: send }], action: send, expect: denied },
          {
            title: 'meant',
            given: [{ action: read }, { action: send, expect: 'denied' }],
            action: send,
            expect: denied,
          },
          { title: 'other', given: [{ action: read }], action: send, expect: 'allowed' },
          { title: 'steps', given: [{ action: read }], steps: [{ action: read }, { action: send, expect: 'allowed' }] },
        ),
      ).toMatchObject([
        { title: 'denied', step: null, given: 2, expected: { allowed: true } },
        { title: 'other', step: null, came: denied },
        { title: 'steps', step: 2, came: denied },
      ]);
    });

    it('refuses a case that expects nothing itself, and a place in the wrong order of times', () => {
      expect(() => run({ title: 'x', given: [{ action: read }], steps: [{ action: send }] })).toThrow(
        /expects anything/,
      );
      expect(() =>
        run({ title: 'x', given: [{ action: read, at: 5 }], action: send, at: 4, expect: 'allowed' }),
      ).toThrow(/^cases\[0\]: at lies before/);
      expect(() => run({ title: 'x', given: [{ action: read, at: 'x' }], action: send, expect: 'allowed' })).toThrow(
        /^cases\[0\]/,
      );
    });
  });

  it('reports a shadow violation in observe mode', () => {
    const shadow = { ...CASE, expect: { allowed: true, violation_type: 'off_limits_action' } };
    const profile = { ...PROFILE, mode: 'observe' };
    expect(runCases(readPolicyFile({ profile, cases: [shadow] }))).toEqual([]);
    expect(runCases(readPolicyFile({ profile, cases: [CASE] }))).toHaveLength(1);
  });

  it('is read or refused in words, whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (profile, one) => {
        try {
          readPolicyFile({ profile, cases: [one] });
        } catch (error) {
          expect(error).toBeInstanceOf(PolicyFileProblem);
        }
      }),
    );
  });
});

function step(at: number): { readonly action: { readonly type: string }; readonly at: number } {
  return { action: { type: 'a' }, at };
}
