import type { RuleMember } from '@countersign/contracts';
import type { CheckTrip } from '@countersign/counters';
import { askingRules, withApprovals } from './asking-rules.js';
import type { AskingCheck } from './asking-rules.js';

type Trip = NonNullable<CheckTrip['rules']>;

const RULE: RuleMember = { id: 'refund', effect: 'approve', tools: ['refund', 'wire'] };
const CHECK: AskingCheck = {
  accountId: 'account',
  agentId: 'agent',
  apiKeyId: 'key',
  principal: null,
  action: { type: 'tool_call', tool_name: 'refund', payload: { amount: 5 } },
  isTimed: false,
  candidateId: () => 'apr_1',
  mostPending: 100,
  namedId: null,
};

/** The binding of the approval that a check asks for. */
function binding(rule: Partial<RuleMember>, check: Partial<AskingCheck> = {}, key = 1): string {
  const conditional = [{ violation: { violation_type: 'approval_required', rule: 'rules:refund' }, observe: false }];
  const trip = { conditional } as unknown as Trip;
  const asking = askingRules([{ ...RULE, ...rule }])!;
  const { approvals } = withApprovals(trip, asking, { ...CHECK, ...check }, new Uint8Array(32).fill(key));
  return approvals!.rules[0]!.bindingSha256;
}

const call = (members: object): Partial<AskingCheck> => ({ action: { ...CHECK.action, ...members } });

describe('the binding of an approval', () => {
  it('is of the key, account, agent, rule and action', () => {
    const same = binding({});
    expect(binding({})).toBe(same);
    expect(binding({}, {}, 2)).not.toBe(same);
    for (const other of [
      binding({}, { accountId: 'other' }),
      binding({}, { agentId: 'other' }),
      binding({ reason: 'another text' }),
      binding({}, call({ payload: { amount: 6 } })),
      binding({}, call({ toolName: 'wire' })),
    ]) {
      expect(other).not.toBe(same);
    }
  });

  it('leaves out what the rule ignores, and the id of the call, which is another one in each attempt of a model', () => {
    const rule = { ignore: ['payload.note'] };
    expect(binding(rule, call({ payload: { amount: 5, note: 'a' } }))).toBe(binding(rule));
    expect(binding({}, call({ metadata: { toolCallId: 'c1', cwd: '/' } }))).toBe(
      binding({}, call({ metadata: { toolCallId: 'c2', cwd: '/' } })),
    );
    expect(binding({}, call({ metadata: { cwd: '/' } }))).not.toBe(binding({}, call({ metadata: { cwd: '/etc' } })));
  });

  it('leaves out the time of an evaluation, unless the rule reads metadata', () => {
    const at = (time: string, isTimed = true): Partial<AskingCheck> => ({ ...call({ metadata: { time } }), isTimed });
    expect(binding({}, at('1'))).toBe(binding({}, at('2')));
    expect(binding({}, at('1'))).toBe(binding({}));
    expect(binding({}, at('1', false))).not.toBe(binding({}, at('2', false)));
    const reads = { when: 'action.metadata.time > "1"' };
    expect(binding(reads, at('1'))).not.toBe(binding(reads, at('2')));
  });

  it('for a tool has both of its names and no arguments', () => {
    const rule = { reuse: { until_seconds: 60, scope: 'tool' } } as const;
    const same = binding(rule);
    expect(binding(rule, call({ payload: { amount: 6 } }))).toBe(same);
    expect(binding(rule, call({ toolName: 'wire' }))).not.toBe(same);
    expect(binding(rule, call({ tool_name: '', toolName: 'wire' }))).not.toBe(binding(rule, call({ tool_name: '' })));
  });

  it('is of who asks where the requester may not decide', () => {
    const rule = { approvers: { not_requester: true } };
    for (const other of [{ apiKeyId: 'other' }, { principal: 'alice' }]) {
      expect(binding(rule, other)).not.toBe(binding(rule));
      expect(binding({}, other)).toBe(binding({}));
    }
  });
});
