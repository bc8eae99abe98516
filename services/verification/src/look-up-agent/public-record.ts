import type { AgentHeadFacts, AgentStatus, PublicAgentRecord } from '@countersign/contracts';
import type { RegisteredAgent } from '../store/port.js';

const STATUS: Readonly<Record<AgentStatus, PublicAgentRecord['status']>> = {
  active: 'Active',
  frozen: 'Frozen',
  inactive: 'Inactive',
};

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
