import type { Stored, Transaction } from '@countersign/document-store';
import type { Agent } from '../domain/agent.js';
import { AGENTS } from './documents.js';
import type { AgentBody } from './documents.js';
import { writeClients } from './oauth-clients.js';
import type { AgentWrite } from './port.js';

export function agentOf({ id, version: revision, body: { facts, frozenAtMs } }: Stored<AgentBody>): Agent {
  return { id, revision, facts, frozenAtMs };
}

export function agentStored({ id, revision: version, facts, frozenAtMs }: Agent): Stored<AgentBody> {
  return { id, version, body: { facts, frozenAtMs } };
}

/** @throws Conflict where the agent is not at the revision before; UniqueTaken, ClientTaken */
export async function replaceAgent(transaction: Transaction, write: AgentWrite): Promise<void> {
  await writeClients(transaction, write.agent);
  await transaction.put(AGENTS, [agentStored(write.agent)]);
  await publishAgent(transaction, write);
}

/** Puts what a change publishes into the outbox, and the agent's version in addition to it. */
export async function publishAgent(transaction: Transaction, { agent, records }: AgentWrite): Promise<void> {
  await transaction.publish(records);
  await transaction.raise([{ kind: 'agent', id: agent.id, version: agent.revision }]);
}
