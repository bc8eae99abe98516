import type { AgentFacts } from '@countersign/contracts';
import type { Projection } from '@countersign/topics';

/** Members of an agent that are kept in memory: a profile may have 64 KiB, and nothing here reads it. */
export type OwnedAgent = Pick<AgentFacts, 'accountId' | 'registeredByKey' | 'name' | 'blockchain_ssn'>;

export function ownedAgent({ accountId, registeredByKey, name, blockchain_ssn }: AgentFacts): OwnedAgent {
  const kept = { accountId, name, blockchain_ssn };
  return registeredByKey === undefined ? kept : { ...kept, registeredByKey };
}

/** Agents of an account, of those of all accounts. */
export function agentsOf(
  agents: Pick<Projection<OwnedAgent>, 'values'>,
  accountId: string,
): readonly { readonly id: string; readonly value: OwnedAgent }[] {
  return [...agents.values()].filter(({ value }) => value.accountId === accountId);
}

/** Ids of them. */
export function agentIdsOf(agents: Pick<Projection<OwnedAgent>, 'values'>, accountId: string): readonly string[] {
  return agentsOf(agents, accountId).map(({ id }) => id);
}
