import type { AgentHeadFacts, AgentStatus } from '@countersign/contracts';
import type { RegisteredAgent } from '../store/port.js';

/** Result of `GET /v1/verify/{ssn}` (`interface.md`, Resources). */
export interface PublicAgentRecord {
  readonly verified: true;
  readonly agent_type: string | null;
  readonly registered_at: string | null;
  readonly created_at: string;
  /** Checks on record. */
  readonly action_count: number;
  readonly status: string;
  readonly owner_wallet: string;
}

const STATUS: Readonly<Record<AgentStatus, string>> = { active: 'Active', frozen: 'Frozen', inactive: 'Inactive' };

/** @param head `null`: nothing is on record yet */
export function publicRecord(agent: RegisteredAgent, head: AgentHeadFacts | null): PublicAgentRecord {
  return {
    verified: true,
    agent_type: agent.type,
    registered_at: agent.registeredAt,
    created_at: agent.createdAt,
    action_count: head?.checks ?? 0,
    status: STATUS[agent.status],
    owner_wallet: agent.walletAddress,
  };
}
