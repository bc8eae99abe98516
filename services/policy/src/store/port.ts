import type { JsonValue } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import type { AnnouncementStore, OutboxStore } from '@countersign/topics';
import type { Agent } from '../domain/agent.js';
import type { AccountTotals, AgentTotals, Claim } from '../domain/usage.js';

export interface Page<T> {
  readonly items: readonly T[];
  /** Of all pages. */
  readonly total: number;
}

/** An agent as it is to be from now on, with the messages that tell of it. */
export interface AgentWrite {
  readonly agent: Agent;
  /** Go to the outbox, in this order. */
  readonly records: readonly NewRecord[];
}

/** The part of an event that the store needs to tell it from its repetition. */
export interface FollowedEvent {
  readonly offset: number;
  /** UUID v7, lower case. */
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
}

/** One partition's batch of events, in offset order; a batch may hold none and only move the position. */
export interface FollowedBatch<E extends FollowedEvent> {
  readonly partition: number;
  /** The position after the batch. */
  readonly next: number;
  /** When the log took the last of it, ms. */
  readonly logTimeMs: number;
  readonly events: readonly E[];
}

/** What is stored about the agents and accounts of a batch. */
export interface FollowState {
  agent(id: string): Agent | null;
  agentTotals(id: string): AgentTotals | null;
  /** To be added to; of the batch's partition alone where each partition's share is kept apart. */
  accountTotals(id: string): AccountTotals | null;
}

export interface FollowEffects {
  readonly agentTotals: readonly AgentTotals[];
  readonly accountTotals: readonly AccountTotals[];
  readonly claims: readonly Claim[];
  /** Agents that the batch changes; each is one revision above what `FollowState` gave. */
  readonly agents: readonly AgentWrite[];
}

/** A `usage` record that the topic lacks. `value: null`: it is over. */
export interface UsageRow {
  readonly key: string;
  /** Rises with every change of the row. */
  readonly version: number;
  readonly value: JsonValue | null;
}

/** A transaction registers one agent for ever: nothing was written. */
export class TransactionTaken extends Error {
  override readonly name = 'TransactionTaken';
}

/** The account has as many agents as it may: nothing was written. */
export class AgentsFull extends Error {
  override readonly name = 'AgentsFull';
}

/**
 * Agents with their profiles, and what the log's checks add up to.
 * - A method that writes MUST be durable when it resolves, and write everything or nothing.
 * - Outbox rows and announcements (kind `agent`, the agent's id and revision) MUST be written with the agent.
 * - No two agents MUST ever have one `chain_tx_signature`, whoever writes at once.
 * - A method rejects only when the store cannot be used; the caller answers 503 or stops its partition.
 */
export interface PolicyStore {
  /** What the relay carries into the log. */
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;

  /**
   * `false`: an agent of that id exists, and nothing was written.
   * @param most agents of its account; instances that create at once may pass it by one each. Default: no bound
   * @throws AgentsFull
   */
  create(write: AgentWrite, most?: number): Promise<boolean>;
  /**
   * `false`: the agent is not at revision `write.agent.revision − 1`, and nothing was written.
   * @throws TransactionTaken where another agent has its `chain_tx_signature`
   */
  replace(write: AgentWrite): Promise<boolean>;
  find(id: string): Promise<Agent | null>;
  /** Another account's agent is read no more than one that does not exist. */
  findOf(accountId: string, id: string): Promise<Agent | null>;
  /** The id of the agent, of whatever account, that the transaction registered. */
  registeredBy(transactionSignature: string): Promise<string | null>;
  /** Agents of an account, newest first. */
  list(accountId: string, limit: number, offset: number): Promise<Page<Agent>>;
  /**
   * Takes an agent as the topic `agents` tells it, unless the store has it at that revision or a later one. Nobody is
   * told: the topic has it.
   * @throws TransactionTaken where another agent has its `chain_tx_signature`
   */
  adopt(agent: Agent): Promise<void>;
  /** Every agent; for publishing again what a topic lost. */
  all(): AsyncIterable<Agent>;

  /** Where following stands: the offset after the last event whose effects are stored, or `null`. */
  position(partition: number): Promise<number | null>;
  /**
   * Stores a batch's effects, each once, and then its position: a crash in between, the same batch again, or an instance
   * that has lost the partition without noticing changes nothing twice and moves nothing back. Events below the stored
   * position, and events whose id was seen in the partition before, are left out of `fresh`. Ids are remembered for at
   * least 72 h of the log's time beyond the time in the id, which covers every repetition: no writer appends an event
   * later than 48 h after it.
   * `decide` is pure and may be called again, also with fewer events, when another change came between. It may ask for
   * the agents and accounts of the batch alone, and its effects are of them.
   */
  follow<E extends FollowedEvent>(
    batch: FollowedBatch<E>,
    decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
  ): Promise<void>;

  /** Positions by partition, as of before any later call of `unpublished`. */
  positions(): Promise<Readonly<Record<number, number>>>;
  /**
   * At most `limit` rows that changed since they were published last, in the order of their keys, above the key `after`.
   * One sweep from `''` gives every row that was unpublished when it began.
   */
  unpublished(after: string, limit: number): Promise<readonly UsageRow[]>;
  /** A row that changed in between stays unpublished. A row that is over is dropped. */
  published(rows: readonly UsageRow[]): Promise<void>;
  /** Ends claims that are older; they become rows with `value: null`. At most `limit`; gives how many. */
  endClaims(olderThanMs: number, limit: number): Promise<number>;

  /**
   * Rows of `usage` that the topic has in these versions or lower ones get a version above: what is published of them
   * next is taken for newer. Keys that are not of accounts or agents, and unknown ones, are passed over.
   */
  raiseUsage(versions: ReadonlyMap<string, number>): Promise<void>;

  close(): Promise<void>;
}
