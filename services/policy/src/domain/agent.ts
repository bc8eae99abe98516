import type { AgentBody, AgentFacts, AgentRecord } from '@countersign/contracts';

/** An agent as policy stores it. */
export interface Agent {
  readonly id: string;
  /** Version of its record in the topic `agents`; rises by one with every change. */
  readonly revision: number;
  readonly facts: AgentFacts;
  /** When it was frozen, ms by the counters' clock, always above `facts.unfrozenAtMs`; 0: it is not frozen. */
  readonly frozenAtMs: number;
}

export function agentRecord({ id, facts }: Agent): AgentRecord {
  const { oauthClientIds = [] } = facts;
  return {
    id,
    name: facts.name,
    type: facts.type,
    purpose: facts.purpose,
    version: facts.version,
    status: facts.status,
    blockchain_ssn: facts.blockchain_ssn,
    wallet_address: facts.wallet_address,
    chain_tx_signature: facts.chain_tx_signature,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    behavior_profile: facts.profile,
    ...(facts.registeredByKey === undefined ? {} : { registered_by_key: facts.registeredByKey }),
    ...(oauthClientIds.length === 0 ? {} : { oauth_client_ids: oauthClientIds }),
  };
}

/** The OAuth client ids that no other agent of the account may have: those of an inactive agent are free. */
export function claimedClients({ status, oauthClientIds = [] }: Agent['facts']): readonly string[] {
  return status === 'inactive' ? [] : oauthClientIds;
}

/** The fields that a caller may give an agent. */
export interface AgentFields {
  readonly name: string;
  readonly type: string | null;
  readonly purpose: string | null;
  readonly version: string | null;
  /** Absent: none. */
  readonly oauthClientIds?: readonly string[];
}

/** The fields that a body names; `agent_type` is another name of `type`, and the two must not differ. */
export function readAgentBody(body: AgentBody): { readonly fields: Partial<AgentFields> } | { readonly error: string } {
  if (body.type !== undefined && body.agent_type !== undefined && body.type !== body.agent_type) {
    return { error: 'type and agent_type are two names of one field: send one of them' };
  }
  const type = body.type ?? body.agent_type;
  const typeNamed = body.type !== undefined || body.agent_type !== undefined;
  return {
    fields: {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(typeNamed ? { type: type ?? null } : {}),
      ...(body.purpose === undefined ? {} : { purpose: body.purpose }),
      ...(body.version === undefined ? {} : { version: body.version }),
      ...(body.oauth_client_ids === undefined ? {} : { oauthClientIds: body.oauth_client_ids }),
    },
  };
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** The agent one revision on; `updated_at` never falls. */
export function next(agent: Agent, facts: Partial<Agent['facts']>, nowMs: number): Agent {
  const updatedAt = isoTime(nowMs);
  return {
    ...agent,
    revision: agent.revision + 1,
    facts: {
      ...agent.facts,
      ...facts,
      updated_at: updatedAt > agent.facts.updated_at ? updatedAt : agent.facts.updated_at,
    },
  };
}
