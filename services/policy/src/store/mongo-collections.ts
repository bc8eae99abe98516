import { EMBEDDED_ROWS_INDEXES } from '@countersign/topics';
import type { SeenDocument } from '@countersign/document-store';
import type { EmbeddedRows } from '@countersign/topics';
import type { Connection, mongo } from 'mongoose';
import type { AccountTotals, AgentTotals } from '../domain/usage.js';

export interface AgentDocument extends EmbeddedRows {
  readonly _id: string;
  readonly accountId: string;
  /** Sorts by creation. */
  readonly order: string;
  readonly revision: number;
  readonly frozenAtMs: number;
  /** JSON, as it was hashed. */
  readonly facts: string;
  /** SHA-256, hex. */
  readonly checksum: string;
  /** Beside the facts that hold it; absent of an agent that is not registered. */
  readonly transaction?: string;
}

export interface PositionDocument {
  /** Partition. */
  readonly _id: number;
  readonly next: number;
}

/** One partition's share of an account's totals: instances of one group write each their own. */
export interface AccountPart extends Pick<AccountTotals, 'period' | 'actionsInPeriod' | 'actionsEver'> {
  /** Up to which (exclusive) it stands. */
  readonly offset: number;
}

export interface AccountUsageDocument {
  readonly _id: string;
  readonly parts: Readonly<Record<string, AccountPart>>;
  readonly revision: number;
  /** Since it was published last; absent otherwise. */
  readonly changed?: true;
}

export interface AgentUsageDocument {
  readonly _id: string;
  readonly totals: Omit<AgentTotals, 'agentId'>;
  readonly revision: number;
  readonly changed?: true;
}

export interface ClaimDocument {
  readonly _id: string;
  /** JSON; `null` when it is over. */
  readonly claim: string | null;
  readonly version: number;
  /** When it occurred, while it is not over. */
  readonly liveSinceMs?: number;
  readonly changed?: true;
}

export interface PolicyCollections {
  readonly agents: mongo.Collection<AgentDocument>;
  readonly positions: mongo.Collection<PositionDocument>;
  readonly seen: mongo.Collection<SeenDocument>;
  readonly accountUsage: mongo.Collection<AccountUsageDocument>;
  readonly agentUsage: mongo.Collection<AgentUsageDocument>;
  readonly claims: mongo.Collection<ClaimDocument>;
}

/** By key, so that a sweep takes what changed in the order of the keys. */
const CHANGED = { key: { changed: 1, _id: 1 }, name: 'changed', partialFilterExpression: { changed: true } } as const;

/** @param suffix ends the names of collections that are made beside those in use */
export function collectionsOf(connection: Connection, suffix = ''): PolicyCollections {
  const database = connection.db!;
  return {
    agents: database.collection(`policy_agents${suffix}`),
    positions: database.collection(`policy_positions${suffix}`),
    seen: database.collection(`policy_seen_events${suffix}`),
    accountUsage: database.collection(`policy_account_usage${suffix}`),
    agentUsage: database.collection(`policy_agent_usage${suffix}`),
    claims: database.collection(`policy_claims${suffix}`),
  };
}

/** Takes a transaction once. */
const REGISTERED = {
  key: { transaction: 1 },
  name: 'registered',
  unique: true,
  partialFilterExpression: { transaction: { $exists: true } },
} as const;

/** The collections, with the indexes that their queries need. */
export async function policyCollections(connection: Connection, suffix?: string): Promise<PolicyCollections> {
  const collections = collectionsOf(connection, suffix);
  const { agents, accountUsage, agentUsage, claims } = collections;
  await Promise.all([
    agents.createIndexes([{ key: { accountId: 1, order: -1 }, name: 'newest' }, REGISTERED, ...EMBEDDED_ROWS_INDEXES]),
    accountUsage.createIndexes([CHANGED]),
    agentUsage.createIndexes([CHANGED]),
    claims.createIndexes([CHANGED, { key: { liveSinceMs: 1 }, name: 'live', sparse: true }]),
  ]);
  return collections;
}
