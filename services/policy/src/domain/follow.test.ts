import { nodeCrypto } from '@countersign/process/node-crypto';
import { uuidV7 } from '@countersign/evidence';
import { ACCOUNT, AGENT, check } from '../policy.test-context.js';
import type { Agent } from './agent.js';
import { followChecks, readCheck } from './follow.js';
import type { FollowedCheck, Known } from './follow.js';
import { createAgent, deactivateAgent } from './life-cycle.js';

const T = Date.UTC(2026, 2, 1);
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const USER = { kind: 'user', id: 'u' } as const;
const { agent } = createAgent(AGENT, ACCOUNT, FIELDS, USER, T, nodeCrypto.sha256);

const id = (n: number): string => uuidV7(T + n, new Uint8Array(10));
const known = (is: Agent | null): Known => ({
  agent: () => is,
  agentTotals: () => null,
  accountTotals: () => null,
  approval: () => null,
  commented: () => [],
});
const read = (n: number, over: object = {}): FollowedCheck => {
  const followed = readCheck(check({ eventId: id(n), occurredAtMs: T + n, ...over }), 0, n);
  if (followed === null) throw new Error('expected a check that counts');
  return followed;
};
const denial = (n: number): FollowedCheck => read(n, { denied: true, freezesAgent: true });

describe('reading a check', () => {
  it('takes what it counts', () => {
    expect(read(5, { costMicros: 12 })).toMatchObject({
      eventId: id(5),
      occurredAtMs: T + 5,
      countsAction: true,
      countsRate: true,
      costMicros: 12,
      claim: null,
    });
    expect(read(5, { denied: true }).countsRate).toBe(false);
  });

  it('keeps the whole answer for an idempotency key', () => {
    const keySha256 = 'b'.repeat(64);
    expect(read(5, { keySha256 }).claim).toMatchObject({
      accountId: ACCOUNT,
      keySha256,
      eventId: id(5),
      occurredAtMs: T + 5,
      answer: { status: 200, body: '{"allowed":true}', eventId: id(5), coverage: 'governed' },
    });
    const { answer } = read(5, { keySha256, denied: true }).claim!;
    expect(answer).toHaveProperty(
      'body',
      '{"allowed":false,"reason":"blocked","severity":"P1","violation_type":"off_limits_action"}',
    );
  });

  it('takes what an outcome gives back, and passes over one that gives nothing back', () => {
    const envelope = check({ eventId: id(2), occurredAtMs: T + 2 });
    const leaf = { ...envelope.leaf, type: 'action.outcome' as const, refersTo: id(1) };
    const givesBack = { costMicros: 80, occurredAt: new Date(T + 1).toISOString() };
    expect(readCheck({ ...envelope, leaf, givesBack }, 0, 7)).toMatchObject({
      ...{ eventId: id(2), offset: 7, countsAction: false, countsRate: false, costMicros: 0, claim: null },
      givesBack: { costMicros: 80, occurredAtMs: T + 1 },
    });
    expect(readCheck({ ...envelope, leaf }, 0, 7)).toBeNull();
  });

  it('passes over what is no check, and refusals that count nothing', () => {
    const envelope = check({ eventId: id(1), occurredAtMs: T });
    const other = { ...envelope, leaf: { ...envelope.leaf, type: 'agent.created' as const } };
    expect(readCheck(other, 0, 1)).toBeNull();
    const refused = {
      ...envelope,
      countsAction: false,
      countsRate: false,
      idempotency: { keySha256: 'k', bodySha256: 'b' },
      leaf: { ...envelope.leaf, outcome: 'frozen' as const, allowed: false, reason: 'frozen', severity: 'P1' as const },
    };
    expect(readCheck(refused, 0, 1)).toBeNull();
  });
});

describe('following checks', () => {
  it('adds up by account and by agent', () => {
    const other = read(2, { agentId: AGENT.replaceAll('a', 'b') });
    const { accountTotals, agentTotals } = followChecks([read(1, { costMicros: 3 }), other], known(agent), T);
    expect(accountTotals).toMatchObject([{ accountId: ACCOUNT, actionsEver: 2 }]);
    expect(agentTotals).toMatchObject([{ dayMicros: 3 }, { dayMicros: 0 }]);
  });

  it('freezes by the first denial that freezes, in its name', () => {
    const { frozen } = followChecks([read(1), denial(2), denial(3)], known(agent), T + 100);
    expect(frozen).toHaveLength(1);
    expect(frozen[0]!.agent).toMatchObject({ revision: 2, frozenAtMs: T + 2, facts: { status: 'frozen' } });
    expect(frozen[0]!.event.committed).toEqual({ reason: null, by: { kind: 'system', id: id(2) } });
  });

  it('does not freeze what was unfrozen at or after the denial, is frozen already, inactive, or unknown', () => {
    const unfrozen = { ...agent, facts: { ...agent.facts, unfrozenAtMs: T + 2 } };
    expect(followChecks([denial(2)], known(unfrozen), T).frozen).toEqual([]);
    expect(followChecks([denial(3)], known(unfrozen), T).frozen).toHaveLength(1);
    const frozen = { ...agent, facts: { ...agent.facts, status: 'frozen' as const } };
    expect(followChecks([denial(3)], known(frozen), T).frozen).toEqual([]);
    const over = deactivateAgent(agent, null, USER, T);
    expect(followChecks([denial(3)], known(over.kind === 'changed' ? over.agent : null), T).frozen).toEqual([]);
    expect(followChecks([denial(3)], known(null), T).frozen).toEqual([]);
  });
});
