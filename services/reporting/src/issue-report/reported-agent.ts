import type { AgentFacts } from '@countersign/contracts';

/** The fields of an agent that are kept: a profile may have 64 KiB, and no report shows it. */
export type ReportedAgent = Omit<AgentFacts, 'profile'>;

/** The fields of an agent that a package shows. */
export type DescribedAgent = Pick<
  AgentFacts,
  'name' | 'type' | 'purpose' | 'version' | 'status' | 'blockchain_ssn' | 'wallet_address' | 'chain_tx_signature'
>;

export function reportedAgent({ profile: _profile, ...said }: AgentFacts): ReportedAgent {
  return said;
}
