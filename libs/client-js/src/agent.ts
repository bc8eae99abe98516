import { invalid, membersOf, readRefusal } from './result.js';
import type { Answer } from './transport.js';

/** Fields of a new agent. */
export interface NewAgent {
  readonly name: string;
  readonly type?: string;
  readonly purpose?: string;
  readonly version?: string;
}

/** An agent as the service stores it; fields that are not set are absent. */
export interface AgentRecord {
  /** UUID: the `agentId` of its checks. */
  readonly id: string;
  readonly name: string;
  readonly type?: string;
  readonly purpose?: string;
  readonly version?: string;
  readonly status: 'active' | 'frozen' | 'inactive';
  readonly blockchainSsn?: string;
  readonly walletAddress?: string;
  readonly chainTxSignature?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Its rules, by the names of the service (`allowed_apis`, `spending_limit`…). */
  readonly behaviorProfile: Readonly<Record<string, unknown>>;
  /** Id of the key that registered it, unless that is the account's first: only a key that names the agent can act as it. */
  readonly registeredByKey?: string;
}

const STATES: ReadonlySet<unknown> = new Set<AgentRecord['status']>(['active', 'frozen', 'inactive']);
const OPTIONAL = {
  type: 'type',
  purpose: 'purpose',
  version: 'version',
  blockchainSsn: 'blockchain_ssn',
  walletAddress: 'wallet_address',
  chainTxSignature: 'chain_tx_signature',
  registeredByKey: 'registered_by_key',
} as const;

/**
 * The agent in the answer to its registration.
 * @throws CountersignError if it was not registered, or the answer is not one of the service
 */
export function readAgent(answer: Answer): AgentRecord {
  if (answer.status !== 201) throw readRefusal(answer);
  const body = membersOf(answer);
  const { id, name, status, created_at: createdAt, updated_at: updatedAt, behavior_profile: profile } = body;
  const isWhole = [id, name, createdAt, updatedAt].every((text) => typeof text === 'string' && text !== '');
  if (!isWhole || !STATES.has(status) || typeof profile !== 'object' || profile === null) {
    throw invalid(answer, 'it is no agent');
  }
  const named = Object.entries(OPTIONAL).map(([ours, theirs]) => [ours, body[theirs]] as const);
  const set = Object.fromEntries(named.filter(([, value]) => typeof value === 'string'));
  return { id, name, ...set, status, createdAt, updatedAt, behaviorProfile: profile } as AgentRecord;
}
