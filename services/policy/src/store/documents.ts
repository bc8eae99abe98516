import type { AgentFacts } from '@countersign/contracts';
import { OLDER_LAYOUTS, POSITIONS } from '@countersign/document-store';
import type { Collection } from '@countersign/document-store';
import { commentsAtMs, endsAtMs } from '../domain/approval.js';
import type { Approval } from '../domain/approval.js';
import type { AccountTotals, AgentTotals, Claim } from '../domain/usage.js';

// Types and not interfaces, which have no index signature.
type None = Record<string, never>;
type AgentKeys = { accountId: string; id: string; transaction: string | null; status: string; searched: string };
type Unpublished = { unpublished: string | null };
type ApprovalKeys = {
  accountId: string;
  agentId: string;
  state: string;
  place: string;
  dueMs: number | null;
  overMs: number | null;
  commentsAtMs: number | null;
};
type ClaimKeys = Unpublished & { liveSinceMs: number | null };

export interface AgentBody {
  readonly facts: AgentFacts;
  readonly frozenAtMs: number;
}

/** Version: that of the topic `agents`. An agent decides checks, so one that was changed by anything else is not served. */
export const AGENTS: Collection<AgentBody, AgentKeys> = {
  name: 'agents',
  keysOf: ({ facts: { accountId, name, status, chain_tx_signature: transaction } }, id) => ({
    accountId,
    id,
    transaction,
    status,
    searched: folded(`${name}\n${id}`),
  }),
  keys: { accountId: 'text', id: 'text', transaction: 'text', status: 'text', searched: 'text' },
  keysVersion: 2,
  indexes: [['accountId'], ['accountId', 'id'], ['accountId', 'searched']],
  unique: ['transaction'],
  isSealed: true,
};

/** A text of which only the case may differ: also of letters that one case has several forms of, such as ß and ς. */
export function folded(text: string): string {
  return text.normalize('NFC').toUpperCase();
}

/** The agent that has an OAuth client id: a document for each, so that a database keeps them unique in an account. */
export interface OauthClientBody {
  readonly accountId: string;
  readonly clientId: string;
  readonly agentId: string;
}

/** By account and client id. Follows from the agents. */
export const OAUTH_CLIENTS: Collection<OauthClientBody, None> = {
  name: 'oauth_clients',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

/** Ids of accounts have no slash. */
export function oauthClientDocumentId(accountId: string, clientId: string): string {
  return `${accountId}/${clientId}`;
}

/** A row of the topic `usage`. */
export interface UsageBody<T> {
  readonly totals: T;
  /** Rises with every change of the totals. */
  readonly revision: number;
  /** The revision that the topic has; 0: none. */
  readonly published: number;
}

/** By account and partition: followers of different partitions write different documents. */
export const ACCOUNT_TOTALS: Collection<UsageBody<AccountTotals>, Unpublished & { accountId: string }> = {
  name: 'account_totals',
  keysOf: ({ totals: { accountId }, revision, published }) => ({
    accountId,
    unpublished: revision > published ? accountId : null,
  }),
  keys: { accountId: 'text', unpublished: 'text' },
  keysVersion: 1,
  indexes: [['accountId'], ['unpublished']],
};

export function accountTotalsId(accountId: string, partition: number): string {
  return `${accountId}/${partition}`;
}

/** By agent. */
export const AGENT_TOTALS: Collection<UsageBody<AgentTotals>, Unpublished> = {
  name: 'agent_totals',
  keysOf: ({ revision, published }, id) => ({ unpublished: revision > published ? id : null }),
  keys: { unpublished: 'text' },
  keysVersion: 1,
  indexes: [['unpublished']],
};

export interface ClaimBody {
  /** `null`: it has ended. */
  readonly claim: Claim | null;
  /** See `claimVersion`. */
  readonly revision: number;
  /** The revision that the topic has; 0: none. */
  readonly published: number;
}

/** By the key of its record in the topic `usage`. */
export const CLAIMS: Collection<ClaimBody, ClaimKeys> = {
  name: 'claims',
  keysOf: ({ claim, revision, published }, id) => ({
    unpublished: revision > published ? id : null,
    liveSinceMs: claim?.occurredAtMs ?? null,
  }),
  keys: { unpublished: 'text', liveSinceMs: 'number' },
  keysVersion: 1,
  indexes: [['unpublished'], ['liveSinceMs']],
};

/** Ids of events that were followed, in order: of one partition and one interval of 16 ms. */
export const SEEN_EVENTS: Collection<{ readonly ids: readonly string[] }, None> = {
  name: 'seen_events',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

/** The document that the id belongs to: sorts by partition, then by the time in the id (RFC 9562 section 5.7). */
export function seenInterval(partition: number, eventId: string): string {
  return `${String(partition).padStart(5, '0')}/${eventId.slice(0, HEX_OF_INTERVAL)}`;
}

/** The first 11 of the 12 hexadecimal digits of the time, and a hyphen. */
const HEX_OF_INTERVAL = 12;

/** By its id. */
export const APPROVALS: Collection<Approval, ApprovalKeys> = {
  name: 'approvals',
  keysOf: (approval) => {
    const { accountId, agentId, state, isOver } = approval;
    const place = approvalPlace(approval);
    const endMs = endsAtMs(approval);
    const until = { dueMs: isOver ? null : endMs, overMs: isOver ? endMs : null };
    return { accountId, agentId, state, place, ...until, commentsAtMs: commentsAtMs(approval) };
  },
  keys: {
    accountId: 'text',
    agentId: 'text',
    state: 'text',
    place: 'text',
    dueMs: 'number',
    overMs: 'number',
    commentsAtMs: 'number',
  },
  keysVersion: 2,
  indexes: [
    ['accountId', 'place'],
    ['accountId', 'state', 'place'],
    ['accountId', 'agentId', 'place'],
    ['state'],
    ['dueMs'],
    ['overMs'],
    ['commentsAtMs'],
  ],
};

/** The place of an approval in lists: by the time of its request. */
export function approvalPlace({ requestedAtMs, id }: Pick<Approval, 'requestedAtMs' | 'id'>): string {
  return `${String(requestedAtMs).padStart(15, '0')}/${id}`;
}

export const COLLECTIONS = [
  AGENTS,
  OAUTH_CLIENTS,
  ACCOUNT_TOTALS,
  AGENT_TOTALS,
  CLAIMS,
  SEEN_EVENTS,
  APPROVALS,
  POSITIONS,
  OLDER_LAYOUTS,
] as unknown as readonly Collection<object>[];
