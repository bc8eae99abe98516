import type { AgentFacts } from '@countersign/contracts';

/** Members of an agent that are kept in memory: a profile may have 64 KiB, and nothing here reads it. */
export type OwnedAgent = Pick<AgentFacts, 'accountId' | 'registeredByKey' | 'name' | 'blockchain_ssn'>;

export function ownedAgent({ accountId, registeredByKey, name, blockchain_ssn }: AgentFacts): OwnedAgent {
  const kept = { accountId, name, blockchain_ssn };
  return registeredByKey === undefined ? kept : { ...kept, registeredByKey };
}
