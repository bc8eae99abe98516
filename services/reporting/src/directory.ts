import { accountStream, type AccountFacts, type EventArchive } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { Projection } from '@countersign/topics';
import type { ReportedAgent } from './issue-report/reported-agent.js';
import { trailOf, withTrail, type ListedAgent } from './issue-report/trail.js';

/** Read model of accounts and agents. */
export interface Directory {
  readonly accounts: Projection<AccountFacts>;
  readonly agents: Projection<ReportedAgent>;
  /** Resolves once events answered before the call are in the archive. */
  settled(): Promise<void>;
  /** The agent's version as published by policy, or `null`. */
  agentVersion(id: string): Promise<number | null>;
}

/** Maximum delay of a new agent in this service's read model, ms. */
const AGENT_WAIT_MS = 5_000;

/**
 * The agents of an account with these ids, or its trail; without ids all agents, by the time of their creation.
 * @param agentIds lower case
 * @throws HttpRefusal 404 for one that the account does not have
 */
export async function agentsOf(
  { agents, agentVersion }: Pick<Directory, 'agents' | 'agentVersion'>,
  accountId: string,
  agentIds: readonly string[],
): Promise<readonly ListedAgent[]> {
  if (agentIds.length === 0) {
    return [...agents.values()]
      .filter(({ value }) => value.accountId === accountId)
      .map(({ id, value }) => ({ id, facts: value }))
      .sort((a, b) => (a.facts.created_at + a.id < b.facts.created_at + b.id ? -1 : 1));
  }
  const found: ListedAgent[] = [];
  for (const id of agentIds) {
    if (id === accountStream(accountId)) {
      found.push(trailOf(accountId));
      continue;
    }
    const version = await agentVersion(id);
    if (version !== null) await agents.waitFor(id, version, AGENT_WAIT_MS);
    const agent = agents.get(id);
    if (agent === undefined || agent.value.accountId !== accountId) throw new HttpRefusal(404, `no agent ${id}`);
    found.push({ id, facts: agent.value });
  }
  return found;
}

/**
 * The agents that a report lists: those that are named; where none is, all of the account, and its trail. Events that
 * were answered before the call are in the archive when it resolves.
 * @param range `to`: ISO 8601 UTC; exclusive
 * @throws HttpRefusal 404 for an agent that the account does not have
 */
export async function listedAgents(
  archive: Pick<EventArchive, 'span'>,
  directory: Pick<Directory, 'agents' | 'agentVersion' | 'settled'>,
  accountId: string,
  { agentIds, to }: { readonly agentIds: readonly string[]; readonly to: string },
): Promise<readonly ListedAgent[]> {
  const agents = await agentsOf(directory, accountId, agentIds);
  await directory.settled();
  return agentIds.length === 0 ? withTrail(archive, accountId, agents, to) : agents;
}
