import type { AgentFacts } from '@countersign/contracts';

/** What is held of an agent: a profile may have 64 KiB, and nothing here reads it. */
export type OwnedAgent = Pick<AgentFacts, 'accountId' | 'registeredByKey'>;

export function ownedAgent({ accountId, registeredByKey }: AgentFacts): OwnedAgent {
  return registeredByKey === undefined ? { accountId } : { accountId, registeredByKey };
}
