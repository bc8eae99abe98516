import type { AgentFacts } from '@countersign/contracts';

/** The fields of an agent that are kept: a profile may have 64 KiB, and no report shows it. */
export type ReportedAgent = Omit<AgentFacts, 'profile'>;

export function reportedAgent({ profile: _profile, ...said }: AgentFacts): ReportedAgent {
  return said;
}
