import { nodeCrypto } from '@countersign/process/node-crypto';
import type { Agent } from './agent.js';
import { agentRecord, claimedClients, readAgentBody } from './agent.js';
import type { Change } from './change.js';
import { createAgent, deactivateAgent, freezeAgent, unfreezeAgent, updateAgent } from './life-cycle.js';

const NOW = Date.UTC(2026, 2, 1, 9, 30);
const USER = { kind: 'user', id: 'u-1' } as const;
const FIELDS = { name: 'Booking', type: 'assistant', purpose: null, version: null };
const created = createAgent('agent-1', 'account-1', FIELDS, USER, NOW, nodeCrypto.sha256);
const active = created.agent;
const frozen = changed(freezeAgent(active, 'odd', USER, NOW + 1, NOW + 1)).agent;
const inactive = changed(deactivateAgent(active, null, USER, NOW + 1)).agent;

function changed(change: Change): Extract<Change, { kind: 'changed' }> {
  if (change.kind !== 'changed') throw new Error(`expected a change, got ${change.kind}`);
  return change;
}

describe('creating an agent', () => {
  it('gives an active agent with an empty profile at version 1 and every unset field null', () => {
    expect(agentRecord(active)).toEqual({
      id: 'agent-1',
      ...FIELDS,
      status: 'active',
      blockchain_ssn: null,
      wallet_address: null,
      chain_tx_signature: null,
      created_at: '2026-03-01T09:30:00.000Z',
      updated_at: '2026-03-01T09:30:00.000Z',
      behavior_profile: expect.objectContaining({ agent_id: 'agent-1', version: 1, allowed_apis: [] }),
    });
    expect(active.revision).toBe(1);
  });

  it('begins with rules at version 1, and keeps the key that registered it over every change', () => {
    const beginning = { rules: { spending_limit: 5 }, registeredByKey: 'key-1' };
    const made = createAgent('agent-1', 'account-1', FIELDS, USER, NOW, nodeCrypto.sha256, beginning);
    expect([made.ruled, created.ruled]).toEqual([true, false]);
    expect(made.agent.facts.profile).toMatchObject({ version: 1, spending_limit: 5 });
    const renamed = changed(updateAgent(made.agent, { name: 'Other' }, USER, NOW)).agent;
    expect(agentRecord(renamed)).toMatchObject({ registered_by_key: 'key-1', behavior_profile: { version: 1 } });
  });

  it('commits what was given, and by whom', () => {
    expect(created.event).toEqual({
      type: 'agent.created',
      committed: { ...FIELDS, by: { kind: 'user', id: 'u-1' } },
      profileVersion: null,
      profileSha256: null,
    });
  });
});

describe('OAuth clients of an agent', () => {
  const clients = ['https://agents.example.com/orders', 'orders-2'];
  const made = createAgent(
    'agent-1',
    'account-1',
    { ...FIELDS, oauthClientIds: clients },
    USER,
    NOW,
    nodeCrypto.sha256,
  );

  it('are in its record and in the event, and absent where there are none', () => {
    expect(agentRecord(made.agent).oauth_client_ids).toEqual(clients);
    expect(made.event.committed).toEqual({ ...FIELDS, oauth_client_ids: clients, by: { kind: 'user', id: 'u-1' } });
    const none = createAgent('agent-1', 'account-1', { ...FIELDS, oauthClientIds: [] }, USER, NOW, nodeCrypto.sha256);
    expect(none).toEqual(created);
    expect(agentRecord(active)).not.toHaveProperty('oauth_client_ids');
  });

  it('are replaced as a whole, and only what differs is committed', () => {
    const fewer = changed(updateAgent(made.agent, { oauthClientIds: [] }, USER, NOW));
    expect(fewer.event).toMatchObject({ type: 'agent.updated' });
    expect(fewer.event.committed).toEqual({ oauth_client_ids: [], by: { kind: 'user', id: 'u-1' } });
    expect(agentRecord(fewer.agent)).not.toHaveProperty('oauth_client_ids');
    expect(updateAgent(made.agent, { oauthClientIds: clients, name: 'Booking' }, USER, NOW).kind).toBe('unchanged');
    expect(updateAgent(active, { oauthClientIds: [] }, USER, NOW).kind).toBe('unchanged');
    const renamed = changed(updateAgent(made.agent, { name: 'Other' }, USER, NOW));
    expect(renamed.event.committed).toEqual({ name: 'Other', by: { kind: 'user', id: 'u-1' } });
  });

  it('are free for others once it is inactive, and still shown', () => {
    const over = changed(deactivateAgent(made.agent, null, USER, NOW)).agent;
    expect(agentRecord(over).oauth_client_ids).toEqual(clients);
    expect([claimedClients(made.agent.facts), claimedClients(over.facts)]).toEqual([clients, []]);
  });
});

describe('reading what a caller says of an agent', () => {
  it('takes agent_type for type, and null for unset', () => {
    expect(readAgentBody({ name: 'x', agent_type: 'bot', purpose: null })).toEqual({
      fields: { name: 'x', type: 'bot', purpose: null },
    });
    expect(readAgentBody({ type: 'bot', agent_type: 'bot' })).toEqual({ fields: { type: 'bot' } });
    expect(readAgentBody({ type: null })).toEqual({ fields: { type: null } });
  });

  it('refuses two types', () => {
    expect(readAgentBody({ type: 'a', agent_type: 'b' })).toHaveProperty('error');
  });
});

describe('updating an agent', () => {
  it('changes and commits only what differs', () => {
    const change = changed(updateAgent(active, { name: 'Booking', purpose: 'flights' }, USER, NOW + 5));
    expect(change.agent.facts).toMatchObject({ name: 'Booking', purpose: 'flights' });
    expect(change.agent.facts.updated_at).toBe('2026-03-01T09:30:00.005Z');
    expect(change.agent.revision).toBe(2);
    expect(change.event.committed).toEqual({ purpose: 'flights', by: { kind: 'user', id: 'u-1' } });
  });

  it('unsets with null', () => {
    expect(changed(updateAgent(active, { type: null }, USER, NOW)).agent.facts.type).toBeNull();
  });

  it('makes no event of what is so already', () => {
    expect(updateAgent(active, { ...FIELDS }, USER, NOW)).toEqual({ kind: 'unchanged', agent: active });
  });

  it('never turns updated_at back', () => {
    expect(changed(updateAgent(frozen, { purpose: 'p' }, USER, NOW - 1000)).agent.facts.updated_at).toBe(
      frozen.facts.updated_at,
    );
  });
});

describe('freezing', () => {
  it('freezes an active agent and commits the reason', () => {
    const change = changed(freezeAgent(active, 'odd', USER, NOW + 7, NOW + 8));
    expect(change.agent).toMatchObject({ revision: 2, frozenAtMs: NOW + 7, facts: { status: 'frozen' } });
    expect(change.event).toMatchObject({
      type: 'agent.frozen',
      committed: { reason: 'odd', by: { kind: 'user', id: 'u-1' } },
    });
  });

  it('is always later than the last unfreeze, also within its millisecond', () => {
    const unfrozen: Agent = { ...active, facts: { ...active.facts, unfrozenAtMs: NOW + 9 } };
    expect(changed(freezeAgent(unfrozen, null, USER, NOW + 9, NOW + 9)).agent.frozenAtMs).toBe(NOW + 10);
  });

  it('does nothing to a frozen agent', () => {
    expect(freezeAgent(frozen, null, USER, NOW, NOW).kind).toBe('unchanged');
  });
});

describe('unfreezing', () => {
  it('keeps the time that the counters gave', () => {
    const change = changed(unfreezeAgent(frozen, null, USER, true, NOW + 20));
    expect(change.agent).toMatchObject({ frozenAtMs: 0, facts: { status: 'active', unfrozenAtMs: NOW + 20 } });
    expect(change.event.type).toBe('agent.unfrozen');
  });

  it('does nothing to an active agent', () => {
    expect(unfreezeAgent(active, null, USER, false, 0).kind).toBe('unchanged');
  });

  it('outlasts a freeze that a gateway set and the log has yet to bring', () => {
    const change = changed(unfreezeAgent(active, null, USER, true, NOW + 20));
    expect(change.agent.facts).toMatchObject({ status: 'active', unfrozenAtMs: NOW + 20 });
  });
});

describe('an inactive agent', () => {
  it('stays so: every later change is refused with 409', () => {
    const tries = [
      updateAgent(inactive, { name: 'x' }, USER, NOW),
      freezeAgent(inactive, null, USER, NOW, NOW),
      unfreezeAgent(inactive, null, USER, true, NOW),
    ];
    expect(tries).toEqual(tries.map(() => expect.objectContaining({ kind: 'refused', status: 409 })));
  });

  it('is deactivated once', () => {
    expect(deactivateAgent(inactive, null, USER, NOW).kind).toBe('unchanged');
    expect(changed(deactivateAgent(frozen, 'done', USER, NOW)).agent).toMatchObject({
      frozenAtMs: 0,
      facts: { status: 'inactive' },
    });
  });
});
