import type { AgentFacts } from '@countersign/contracts';

/** Members of an agent that are kept in memory: a profile may have 64 KiB, and nothing here reads it. */
export type OwnedAgent = Pick<AgentFacts, 'accountId' | 'registeredByKey'>;

export function ownedAgent({ accountId, registeredByKey }: AgentFacts): OwnedAgent {
  return registeredByKey === undefined ? { accountId } : { accountId, registeredByKey };
}
