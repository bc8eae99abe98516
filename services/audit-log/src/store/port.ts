import type { ArchivedEvent, ErasedContent, EventEnvelope, LeafEvent, TopicName } from '@countersign/contracts';
import type { StoredEvent } from '../domain/event-record.js';
import type { EventFilter } from '../domain/event-filter.js';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** A cursor into the order of `list`; only the adapter that gave it can read it. */
export type Cursor = readonly number[];

/** A page of a list. `next`: the cursor of the next page; `null` at the end. */
export interface KeysetPage {
  readonly events: readonly StoredEvent[];
  readonly next: Cursor | null;
}

/** Size at which a page ends, unless its limit or the list ends before: characters of leaves and openings. */
export const PAGE_LENGTH = 4 * 1024 * 1024;

/** The offset after the last message that is taken, saved with its effects. */
export interface Position {
  readonly topic: TopicName;
  readonly partition: number;
  readonly next: number;
}

/** A valid envelope and where its message stands in its partition. */
export interface LoggedEvent {
  readonly offset: number;
  readonly envelope: EventEnvelope;
}

/** A part of a partition's log without a gap. `from`: where its caller knows the store to have come to at least. */
export interface OffsetRange extends Position {
  readonly from: number;
}

export interface AgentOfAccount {
  readonly agentId: string;
  readonly accountId: string;
}

/** The last leaf of an agent, and how many of its leaves are `action.checked`. */
export interface AgentHead {
  readonly agentId: string;
  readonly lastSequence: number;
  readonly checks: number;
}

/** A head that is not published, and the sequence that was published last; 0 for none. */
export interface UnpublishedHead extends AgentHead {
  readonly publishedSequence: number;
}

/** An agent's place in an anchored window. */
export interface AgentWindow {
  readonly agentId: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
}

/** An anchored window with some of its agents. */
export interface AnchoredWindow {
  readonly windowId: string;
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly merkleRoot: string;
  readonly txSignature: string;
  readonly blockHeight: number;
  readonly anchoredAt: string;
  readonly agents: readonly AgentWindow[];
}

/** One anchored window of one agent. */
export interface AgentAnchor extends Omit<AnchoredWindow, 'agents' | 'windowId'> {
  readonly firstSequence: number;
  readonly lastSequence: number;
}

export interface Inbox {
  readonly openCount: number;
  readonly acknowledgedAt: string | null;
}

/** State of an order of erasure: none, or carried out and not yet or already acknowledged by the keeper of copies. */
export type OrderState = 'none' | 'pending' | 'acknowledged';

/** A leaf of a check whose content is kept, and what says how old it is. */
export interface KeptContent {
  readonly eventId: string;
  readonly sequence: number;
  readonly occurredAtMs: number;
  /** When the leaf's window was anchored, by the chain; `null`: not yet. */
  readonly anchoredAtMs: number | null;
}

/**
 * The stored data contradicts the log: damage, a store put back to an older state, or two writers that did not read
 * the same log. Nothing stored is overwritten; the partition is blocked until an operator has looked.
 */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
}

/**
 * audit-log's store: every leaf with its sequence, the openings apart from what is hashed, and where leaves are anchored.
 * - A writing method is durable when it resolves. When it rejects or its process ends, some of its effects may be there:
 *   given the same offset range again, in any batches, it MUST end as if nothing had happened in between.
 * - `append` MUST number the leaves of an agent from 1 without a gap in the order of the log, and take an event id once:
 *   a repetition changes nothing. All leaves of an agent stand in one partition. Messages below the saved position MUST
 *   change nothing, so that an instance that lost its partition and does not know it does no harm.
 * - A leaf MUST NOT be seen before the agent's earlier ones.
 * - Whatever is read by account MUST hold nothing of another account.
 */
export interface EventStore {
  position(topic: TopicName, partition: number): Promise<number | null>;
  /** Positions of all partitions that have one, whichever instance saved them. */
  positions(topic: TopicName): Promise<Readonly<Record<number, number>>>;
  /**
   * Saves the leaves and the position. Applies what takes content away among them (`content.erased`: of the leaf that it
   * names; `retention.applied`: of checks and outcomes up to the leaf that it names) to earlier leaves of the same agent.
   * Nothing that was taken can be read from the store's files once it resolves. Gives the heads that moved.
   * @throws StoreConflict also when the saved position is below `from`
   */
  append(events: readonly LoggedEvent[], range: OffsetRange): Promise<readonly AgentHead[]>;
  saveAnchors(windows: readonly AnchoredWindow[], position: Position): Promise<void>;

  /** Newest first by `occurredAt`, then by place in the log. `total` counts all that the filter lets through. */
  list(
    accountId: string,
    filter: EventFilter,
    page: Page,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly total: number }>;
  /**
   * Goes through all that the filter lets through, in the order of `list`: at most `limit` events (1 at least) that
   * stand behind `after`, `null` for the newest. What is appended on the way is met where its place is still ahead, and
   * nothing is met twice or left out because of it.
   */
  pageAfter(accountId: string, filter: EventFilter, after: Cursor | null, limit: number): Promise<KeysetPage>;
  /** The account's event, or `null`. */
  find(accountId: string, eventId: string): Promise<StoredEvent | null>;

  /** Leaves denied or frozen that arrived since the last acknowledge, newest first as in `list`. */
  openAlerts(accountId: string, page: Page): Promise<readonly StoredEvent[]>;
  inbox(accountId: string): Promise<Inbox>;
  acknowledge(accountId: string, at: string): Promise<Inbox>;

  /** Anchored windows of an agent whose leaves are stored, newest first. */
  anchors(agentId: string, page: Page): Promise<{ readonly anchors: readonly AgentAnchor[]; readonly total: number }>;
  /** Ids of the leaves `first`…`last` in sequence order. */
  eventIds(agentId: string, first: number, last: number): Promise<readonly string[]>;

  /** Sequences of the first and last leaf with `fromMs <= occurredAt < toMs`. */
  span(
    agentId: string,
    fromMs: number,
    toMs: number,
  ): Promise<{ readonly first: number; readonly last: number } | null>;
  range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]>;
  /** Events that refer to these events, in their order, then in the log's. */
  referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]>;
  /** The leaves with these ids, in their order; an id that is not stored is left out. */
  leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]>;

  /** Heads that moved since they were last marked as published, of all agents or only of these. */
  unpublishedHeads(limit: number, agentIds?: readonly string[]): Promise<readonly UnpublishedHead[]>;
  /**
   * Marks heads as published. One that another instance marked since it was read stays unpublished: which of the
   * two reached the log last is unknown, so it is published once more.
   */
  markPublished(heads: readonly UnpublishedHead[]): Promise<void>;

  orderState(eventId: string): Promise<OrderState>;
  /** Contents that orders took and that are not acknowledged yet. */
  pendingErasures(limit: number): Promise<readonly ErasedContent[]>;
  acknowledgeErasures(eventIds: readonly string[]): Promise<void>;
  /** Sequences among `first`…`last` of which an order took the content. */
  erasedAmong(agentId: string, first: number, last: number): Promise<readonly number[]>;

  /** Agents with their accounts in the order of their ids, from the first after `afterId` (empty: from the first). */
  agentsAfter(afterId: string, limit: number): Promise<readonly AgentOfAccount[]>;
  /** The oldest checks and outcomes of an agent whose content is kept, in sequence order. */
  keptContent(agentId: string, limit: number): Promise<readonly KeptContent[]>;
  /** State of retention: JSON, and a number that rises with each save. */
  retentionState(): Promise<{ readonly turn: number; readonly body: string } | null>;
  /** Saves turn `turn`; `false`, and nothing is changed, unless the turn before it stands there. */
  saveRetentionState(turn: number, body: string): Promise<boolean>;

  close(): Promise<void>;
}
