import { opens, readEnvelope } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { agentEvent } from './agent-event.js';
import { createAgent, deactivateAgent, freezeAgent, unfreezeAgent, updateAgent } from './life-cycle.js';
import { changeProfile } from './profile.js';
import type { Change } from './change.js';

const NOW = Date.UTC(2026, 2, 1);
const USER = { kind: 'user', id: 'u-1' } as const;
const ID = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const created = createAgent(ID, 'account', FIELDS, USER, NOW, nodeCrypto.sha256);
const { agent } = created;
const frozen = freezeAgent(agent, null, USER, NOW, NOW);
const entropy = { id: new Uint8Array(10).fill(3), salt: new Uint8Array(16).fill(5) };

const changes: readonly (readonly [string, Change])[] = [
  ['agent.created', created],
  ['agent.updated', updateAgent(agent, { purpose: 'flights' }, USER, NOW)],
  ['agent.frozen', frozen],
  ['agent.unfrozen', unfreezeAgent(frozen.kind === 'changed' ? frozen.agent : agent, 'fine', USER, true, NOW + 1)],
  ['agent.deactivated', deactivateAgent(agent, 'over', USER, NOW)],
  ['profile.changed', changeProfile(agent, { mode: 'observe' }, USER, NOW, nodeCrypto.sha256)],
];

describe('the event of a change', () => {
  it.each(changes)('%s is a leaf by the one predicate, and its opening opens it', (type, change) => {
    if (change.kind !== 'changed') throw new Error(change.kind);
    const occurrence = { occurredAtMs: NOW, cadenceSeconds: 300, apiKeyId: null };
    const envelope = agentEvent(ID, 'account', change.event, occurrence, entropy, nodeCrypto.sha256);
    const read = readEnvelope(JSON.parse(JSON.stringify(envelope)));
    expect(read).toEqual({ ok: true, value: envelope });
    expect(envelope.leaf).toMatchObject({ type, agentId: ID, occurredAt: '2026-03-01T00:00:00.000Z', payload: null });
    expect(envelope.leaf.actionKind).toBeNull();
    expect(opens(envelope.leaf, 'action', envelope.openings.action!, nodeCrypto.sha256)).toBe('opens');
    expect(envelope.openings.action?.value).toHaveProperty('by', { kind: 'user', id: 'u-1' });
    expect(JSON.stringify(envelope.leaf)).not.toContain('u-1');
  });
});
