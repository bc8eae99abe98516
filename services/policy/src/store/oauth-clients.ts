import type { Transaction } from '@countersign/document-store';
import { claimedClients } from '../domain/agent.js';
import type { Agent } from '../domain/agent.js';
import { AGENTS, OAUTH_CLIENTS, oauthClientDocumentId } from './documents.js';
import { ClientTaken } from './port.js';

/**
 * Writes which client ids an agent has, before the agent itself is written. An agent that never had one costs nothing.
 * Nothing is written for one that is not at the revision before: what it says of its clients is out of date, and it will not
 * be written either.
 * @throws ClientTaken
 */
export async function writeClients(transaction: Transaction, agent: Agent): Promise<void> {
  const { added, removed, version } = await changedClients(transaction, agent);
  if (version !== agent.revision - 1) return;
  await releaseClients(transaction, agent, removed);
  const claims = added.map((clientId) => claimOf(agent, clientId));
  const inserted = await transaction.add(OAUTH_CLIENTS, claims);
  for (const { id, body } of claims) {
    if (inserted.has(id)) continue;
    const stored = await transaction.get(OAUTH_CLIENTS, id);
    if (stored !== null && stored.body.agentId !== agent.id) throw new ClientTaken(body.clientId, stored.body.agentId);
  }
}

/**
 * The same for an agent whose record is in the topic: no other agent can have its client ids. Agents may come in any order, so
 * one that another agent has taken is left to it.
 */
export async function adoptClients(transaction: Transaction, agent: Agent): Promise<void> {
  const { added, removed } = await changedClients(transaction, agent);
  await releaseClients(transaction, agent, removed);
  await transaction.set(
    OAUTH_CLIENTS,
    added.map((clientId) => claimOf(agent, clientId)),
  );
}

interface ChangedClients {
  /** Revision of the stored agent; 0: none is. */
  readonly version: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

async function changedClients(transaction: Transaction, { id, facts }: Agent): Promise<ChangedClients> {
  if (facts.oauthClientIds === undefined) return { version: 0, added: [], removed: [] };
  const stored = await transaction.get(AGENTS, id);
  const before: readonly string[] = stored === null ? [] : claimedClients(stored.body.facts);
  const after = claimedClients(facts);
  return {
    version: stored?.version ?? 0,
    added: after.filter((clientId) => !before.includes(clientId)),
    removed: before.filter((clientId) => !after.includes(clientId)),
  };
}

async function releaseClients(
  transaction: Transaction,
  { id: agentId, facts }: Agent,
  clientIds: readonly string[],
): Promise<void> {
  for (const clientId of clientIds) {
    const stored = await transaction.get(OAUTH_CLIENTS, oauthClientDocumentId(facts.accountId, clientId));
    if (stored?.body.agentId === agentId) await transaction.remove(OAUTH_CLIENTS, [stored]);
  }
}

function claimOf({ id: agentId, facts: { accountId } }: Agent, clientId: string) {
  return { id: oauthClientDocumentId(accountId, clientId), body: { accountId, clientId, agentId } };
}
