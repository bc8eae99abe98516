import { randomBytes } from 'node:crypto';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { versionedRecord } from '@countersign/topics';
import { agentEvent } from '../domain/agent-event.js';
import type { Agent } from '../domain/agent.js';
import type { EventDraft } from '../domain/change.js';
import type { AgentWrite } from '../store/port.js';

export interface Occurrence {
  /** ms by the counters' clock. */
  readonly occurredAtMs: number;
  readonly cadenceSeconds: number;
  readonly apiKeyId: string | null;
}

/** The durable write of a change: the agent, its record for `agents` and its events for `agent-events`. */
export function agentWrite(
  agent: Agent,
  events: EventDraft | readonly EventDraft[],
  occurrence: Occurrence,
): AgentWrite {
  const messages = [events].flat().map((event) => {
    const entropy = { id: randomBytes(10), salt: randomBytes(16) };
    const envelope = agentEvent(agent.id, agent.facts.accountId, event, occurrence, entropy, nodeCrypto.sha256);
    return { topic: 'agent-events', key: agent.id, value: JSON.stringify(envelope) } as const;
  });
  return {
    agent,
    records: [versionedRecord('agents', agent.id, agent.revision, agent.facts), ...messages],
  };
}
