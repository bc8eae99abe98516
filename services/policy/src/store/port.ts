import type { AgentFacts, JsonValue } from '@countersign/contracts';
import type { LogBatch, NewRecord } from '@countersign/event-log';
import type { AnnouncementStore, OutboxStore } from '@countersign/topics';
import type { Agent } from '../domain/agent.js';
import type { Approval } from '../domain/approval.js';
import type { AccountTotals, AgentTotals, Claim } from '../domain/usage.js';
import type { ApprovalStore, ApprovalWrite } from './approvals-port.js';

export interface Page<T> {
  readonly items: readonly T[];
  /** Of all pages. */
  readonly total: number;
}

/** Agents that a list is of; a member that is absent leaves none out. */
export interface AgentFilter {
  readonly status?: AgentFacts['status'];
  /** A part of the name or of the id, in any case. */
  readonly text?: string;
  /** In the order of names, whatever their case; those of one name in the order of ids. */
  readonly isByName?: boolean;
}

/** A new revision of an agent, with the messages that publish it. */
export interface AgentWrite {
  readonly agent: Agent;
  /** In the order in which they are published. */
  readonly records: readonly NewRecord[];
}

/** The part of an event by which the store recognizes its repetition. */
export interface FollowedEvent {
  readonly offset: number;
  /** UUID v7, lower case. */
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
  /** Approvals that it concerns; absent: none. */
  readonly approvalIds?: readonly string[];
  /** Of an order of erasure: the event whose content goes. */
  readonly erases?: string;
}

/** One partition's batch of events, in offset order; a batch may hold none and only move the position. */
export interface FollowedBatch<E extends FollowedEvent> extends Pick<LogBatch, 'from'> {
  readonly partition: number;
  /** The position after the batch. */
  readonly next: number;
  /** When the log took the last of it, ms. */
  readonly logTimeMs: number;
  readonly events: readonly E[];
}

/** Stored agents, totals and approvals that a batch concerns. */
export interface FollowState {
  agent(id: string): Agent | null;
  agentTotals(id: string): AgentTotals | null;
  /** Of the batch's partition alone. */
  accountTotals(id: string): AccountTotals | null;
  approval(id: string): Approval | null;
  /** Approvals with comments that an event with this id may commit: an event that the batch erases. */
  commented(eventId: string): readonly Approval[];
}

export interface FollowEffects {
  readonly agentTotals: readonly AgentTotals[];
  readonly accountTotals: readonly AccountTotals[];
  readonly claims: readonly Claim[];
  /** Agents that the batch changes; each is one revision above what `FollowState` gave. */
  readonly agents: readonly AgentWrite[];
  /** Approvals that the batch opens or changes. */
  readonly approvals: readonly ApprovalWrite[];
}

/** A record of the topic `usage` that is not published yet. `value: null`: it has ended. */
export interface UsageRow {
  readonly key: string;
  /** Rises with every change of the row. */
  readonly version: number;
  readonly value: JsonValue | null;
}

/** Another agent was registered by this transaction: nothing was written. */
export class TransactionTaken extends Error {
  override readonly name = 'TransactionTaken';
}

/** Another agent of the account has this OAuth client id: nothing was written. */
export class ClientTaken extends Error {
  override readonly name = 'ClientTaken';
  constructor(
    readonly clientId: string,
    readonly agentId: string,
  ) {
    super(`agent ${agentId} has the OAuth client id ${clientId}`);
  }
}

/** The account has as many agents as it may: nothing was written. */
export class AgentsFull extends Error {
  override readonly name = 'AgentsFull';
}

/**
 * Agents with their profiles, and the totals of the checks in the log.
 * - A method that writes MUST be durable when it resolves, and write everything or nothing.
 * - Outbox rows and announcements (kind `agent`, the agent's id and revision) MUST be written with the agent.
 * - No two agents MUST ever have the same `chain_tx_signature`, and no two agents of an account that are not inactive the same
 *   OAuth client id, also when several instances write at once.
 * - A method rejects for other reasons than those named only when the store cannot be used: the caller answers 503, or the batch
 *   is delivered again.
 */
export interface PolicyStore {
  /** Records that the relay appends to the log. */
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;
  readonly approvals: ApprovalStore;

  /**
   * `false`: an agent of that id exists, and nothing was written.
   * @param most agents of its account; instances that create at once may pass it by one each. Default: no bound
   * @throws AgentsFull, ClientTaken
   */
  create(write: AgentWrite, most?: number): Promise<boolean>;
  /**
   * `false`: the agent is not at revision `write.agent.revision − 1`, and nothing was written.
   * @throws TransactionTaken where another agent has its `chain_tx_signature`
   * @throws ClientTaken
   */
  replace(write: AgentWrite): Promise<boolean>;
  find(id: string): Promise<Agent | null>;
  /** `null` for an agent of another account, which is not read. */
  findOf(accountId: string, id: string): Promise<Agent | null>;
  /** The id of the agent, of whatever account, that the transaction registered. */
  registeredBy(transactionSignature: string): Promise<string | null>;
  /** Agents of an account, newest first unless the filter has them by name. */
  list(accountId: string, limit: number, offset: number, filter?: AgentFilter): Promise<Page<Agent>>;
  /**
   * Stores an agent as the topic `agents` has it, unless the store has it at that revision or a later one. Nothing is published:
   * the topic has it. Its client ids are its own from then on: another agent that has one in the store has lost it since, by the
   * topic.
   * @throws TransactionTaken where another agent has its `chain_tx_signature`
   */
  adopt(agent: Agent): Promise<void>;
  /** Every agent: to publish records again that a topic lost. */
  all(): AsyncIterable<Agent>;

  /** The offset after the last event whose effects are stored, or `null`. */
  position(partition: number): Promise<number | null>;
  /**
   * Stores a batch's effects and its position in one transaction: a repeated batch, or an instance that has lost the partition
   * without noticing, changes nothing. Events below the stored position, and events whose id was seen in the partition before,
   * are left out of `fresh`. Ids are remembered for at
   * least 72 h of the log's time beyond the time in the id, which covers every repetition: no writer appends an event
   * later than 48 h after it.
   * `decide` is pure and may be called again, also with fewer events, after a conflict. It asks only for agents and accounts of
   * the batch, and its effects concern only these.
   */
  follow<E extends FollowedEvent>(
    batch: FollowedBatch<E>,
    decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
  ): Promise<void>;

  /** Positions by partition, as of before any later call of `unpublished`. */
  positions(): Promise<Readonly<Record<number, number>>>;
  /**
   * At most `limit` rows that changed since they were published last, in the order of their keys, above the key `after`.
   * One sweep from `''` returns every row that was unpublished when it began.
   */
  unpublished(after: string, limit: number): Promise<readonly UsageRow[]>;
  /** Marks rows as published, unless they have changed since. A row that has ended is removed. */
  published(rows: readonly UsageRow[]): Promise<void>;
  /** Ends at most `limit` claims that are older; their rows have `value: null` then. Returns how many. */
  endClaims(olderThanMs: number, limit: number): Promise<number>;

  /**
   * Raises the versions of rows of `usage` above these, which the topic has: what is published next is newer. Keys that are not of
   * accounts or agents, and unknown ones, are ignored. Takes several transactions; a repetition completes an interrupted call.
   */
  raiseUsage(versions: ReadonlyMap<string, number>): Promise<void>;

  close(): Promise<void>;
}
