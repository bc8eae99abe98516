import type {
  ArchivedEvent,
  ErasedContent,
  EventEnvelope,
  LeafEvent,
  Severity,
  TopicName,
} from '@countersign/contracts';
import type { StoredEvent } from '../domain/event-record.js';
import type { EventFilter } from '../domain/event-filter.js';
import type { HourlyCount, HourlyQuery, StepCount, StepQuery } from './counts.js';

export type { HourlyCount, HourlyQuery, StepCount, StepQuery } from './counts.js';

/*
 * Terms of this file:
 * - leaf: the canonical form of an event, as it is hashed; openings: what shows the content that a leaf commits to.
 * - head: the last sequence of an agent, as it is published in the topic `agent-heads`.
 * - content: an action, a payload or a context; it is erased by deleting its openings, and the leaf stays.
 * - order: an order of erasure, the event `content.erased`. Reporting, which stores packages that open content, has to
 *   acknowledge each.
 * - retention: the erasure of content by its age, by the event `retention.applied`; it needs no acknowledgement.
 */

/** A page of a list: at most `limit` items after the first `offset`. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** A place in the order of `list`; only the adapter that returned it can read it. */
export type Cursor = readonly number[];

/** A page of a list. `next`: the cursor after its last event; `null`: there are no more events. */
export interface KeysetPage {
  readonly events: readonly StoredEvent[];
  readonly next: Cursor | null;
}

/** A {@link KeysetPage} ends with the event with which its leaves and openings reach this number of characters. */
export const PAGE_LENGTH = 4 * 1024 * 1024;

/** {@link Arrivals} have no more characters of leaves and openings than this, unless the newest alone has more. */
export const ARRIVALS_LENGTH = 512 * 1024;

/** With a filter by rule, a {@link KeysetPage} ends after this number of events with a violation, whatever their rule. */
export const SCANNED = 1_000;

/** The position of a partition: `next` is one past the offset of the last message that is stored. */
export interface Position {
  readonly topic: TopicName;
  readonly partition: number;
  readonly next: number;
  /** The store has saved at least this position, as far as the caller knows; absent: it knows of none. */
  readonly from?: number | undefined;
}

/** A valid message of `agent-events`, and its offset in its partition. */
export interface LoggedEvent {
  readonly offset: number;
  readonly envelope: EventEnvelope;
}

/** An offset range of a partition, up to `next` exclusive. */
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

/** A head that is not published, and the sequence of it that was published last; 0: none was. */
export interface UnpublishedHead extends AgentHead {
  readonly publishedSequence: number;
}

/** How far an agent's events go. */
export interface AgentState {
  readonly agentId: string;
  readonly lastSequence: number;
  /** Time of its newest event by `occurredAt`, ms. */
  readonly lastEventMs: number;
  /** The highest of its sequences in an anchored window; 0: none is. */
  readonly anchoredThrough: number;
}

/** Sequences of an agent, both ends included. */
export interface SequenceRun {
  readonly first: number;
  readonly last: number;
}

/** The leaves of an agent in an anchored window. */
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

/** An anchored window, with the leaves of one agent in it. */
export interface AgentAnchor extends Omit<AnchoredWindow, 'agents' | 'windowId'> {
  readonly firstSequence: number;
  readonly lastSequence: number;
}

/** The violation inbox of an account. */
export interface Inbox {
  /** Leaves that were denied or frozen and stored since the last acknowledgement. */
  readonly openCount: number;
  /** Time of the last acknowledgement, ISO 8601; `null`: there was none. */
  readonly acknowledgedAt: string | null;
}

/** Where an inbox ended when it was read: later alerts are beyond it. Only the adapter that returned it can read it. */
export type InboxPlace = readonly number[];

/**
 * How far the events of each partition were stored, as partition and offset in turn: events that are stored later are
 * beyond it. The embedded store has one partition, 0, and counts its own rows.
 */
export type ArrivalPlace = readonly number[];

/** Events that were stored between two places. */
export interface Arrivals {
  /** The newest of them, in the order of their arrival. */
  readonly events: readonly StoredEvent[];
  /** All of them. */
  readonly count: number;
}

/** An open alert: members of its leaf by which alerts are grouped. */
export interface OpenAlert {
  readonly eventId: string;
  readonly agentId: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly outcome: string | null;
  readonly violationType: string | null;
  readonly rule: string | null;
  readonly severity: Severity | null;
}

/** State of an event's order: there is none; content erased, not acknowledged yet; acknowledged by reporting. */
export type OrderState = 'none' | 'pending' | 'acknowledged';

/** A check or outcome whose content is stored, with the times that its age is judged by. */
export interface KeptContent {
  readonly eventId: string;
  readonly sequence: number;
  readonly occurredAtMs: number;
  /** Time by the chain at which its window was anchored, ms; `null`: it is not anchored. */
  readonly anchoredAtMs: number | null;
}

/**
 * The stored data contradicts the log: it is damaged, or two writers have read different logs. Nothing is overwritten; the partition is blocked until an operator has solved it.
 */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
}

/**
 * audit-log's store: every leaf with its sequence, its openings, and the windows in which leaves are anchored.
 * - When a writing method resolves, its effects are durable. When it rejects, or the process ends before, any part of
 *   its effects may be stored. When the same offset range is passed again, in batches of any size, the result MUST be
 *   as if the first call had not been made.
 * - `append` MUST number the leaves of an agent from 1 without a gap, in the order of the log. It MUST store an event
 *   id once: a second message with it is ignored. All messages of an agent are in one partition. Messages below the
 *   saved position MUST change nothing: an instance whose partition was assigned to another one, and that has not
 *   noticed yet, then does no harm.
 * - A leaf MUST NOT be visible before the earlier ones of its agent.
 * - A method that takes an account id MUST return nothing of another account. Those that take agent or event ids alone
 *   are for callers that have checked the account.
 * - Ids that are not stored have no result: `null`, an empty list, zeros, or `none`.
 */
export interface EventStore {
  /** The saved position of a partition; `null`: none was saved. */
  position(topic: TopicName, partition: number): Promise<number | null>;
  /** The saved positions by partition, whichever instance saved them. */
  positions(topic: TopicName): Promise<Readonly<Record<number, number>>>;
  /**
   * Stores the events and the position. An event that erases content is applied to earlier leaves of the same agent:
   * `content.erased` to the leaf that it refers to, `retention.applied` to the checks and outcomes up to the leaf that
   * it refers to. Embedded, erased content is gone from the store's files when this resolves, or with the next batch if
   * another process was reading them; in MongoDB it is gone from the documents.
   * @returns the new heads of the agents whose leaves were stored
   * @throws StoreConflict
   * @throws StoreFellBack when the saved position is below `from`: messages are missing in the store
   */
  append(events: readonly LoggedEvent[], range: OffsetRange): Promise<readonly AgentHead[]>;
  /** Stores anchored windows, or more agents of stored ones, and the position in `anchors`. @throws StoreFellBack as `append` */
  saveAnchors(windows: readonly AnchoredWindow[], position: Position): Promise<void>;

  /**
   * The account's events that match, newest first by `occurredAt`, then by place in the log. `total` counts all of
   * them.
   */
  list(
    accountId: string,
    filter: Omit<EventFilter, 'rule' | 'trace'>,
    page: Page,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly total: number }>;
  /**
   * Reads the same list by pages: at most `limit` (1 or more) events after the place `after`; `null`: from the newest
   * on. An event that is appended between two pages is included if its place is after the cursor. No event is returned
   * twice or left out because others are appended. With `rule` of the filter a page may have fewer events, see
   * {@link SCANNED}.
   */
  pageAfter(accountId: string, filter: EventFilter, after: Cursor | null, limit: number): Promise<KeysetPage>;
  /** How far events are stored now. */
  arrivalPlace(): Promise<ArrivalPlace>;
  /**
   * The account's events that match by agent, class and rule alone and were stored after one place and not after another.
   * @param limit most that are returned, of large ones fewer (see {@link ARRIVALS_LENGTH}); all are counted, so the caller keeps the two places near each other
   */
  arrivals(
    accountId: string,
    filter: EventFilter,
    places: { readonly after: ArrivalPlace; readonly to: ArrivalPlace },
    limit: number,
  ): Promise<Arrivals>;
  /** The account's event, or `null`. */
  find(accountId: string, eventId: string): Promise<StoredEvent | null>;
  /** The account's event with its envelope, or `null`. */
  findArchived(accountId: string, eventId: string): Promise<ArchivedEvent | null>;

  /** Counts of events by the hour of `occurredAt` and by class, in any order; counts of 0 are left out. */
  countHours(accountId: string, query: HourlyQuery): Promise<readonly HourlyCount[]>;
  /** Counts of events in shorter steps, or by rule, in any order. It reads an entry of an index for each event: the caller bounds them. */
  countSteps(accountId: string, query: StepQuery): Promise<readonly StepCount[]>;

  /** The events that {@link Inbox.openCount} counts, in the order of `list`. */
  openAlerts(accountId: string, page: Page): Promise<readonly StoredEvent[]>;
  inbox(accountId: string): Promise<Inbox>;
  /** The newest `limit` open alerts, in the order of `list`, and the place of the inbox. */
  openLeaves(
    accountId: string,
    limit: number,
  ): Promise<Inbox & { readonly alerts: readonly OpenAlert[]; readonly place: InboxPlace }>;
  /**
   * The open alerts that `acknowledge` closes when it is called with the place that is returned, however many arrive until then.
   * @param place of `openLeaves`; absent: all that are counted now
   */
  closable(accountId: string, place?: InboxPlace): Promise<{ readonly count: number; readonly place: InboxPlace }>;
  /**
   * Empties the inbox: everything that is counted now is acknowledged, or with `place` what was counted there.
   * @param at the time to store, ISO 8601
   * @returns the inbox afterwards
   */
  acknowledge(accountId: string, at: string, place?: InboxPlace): Promise<Inbox>;

  /**
   * Anchored windows of an agent, newest first; without a window of which some of the agent's leaves are not stored
   * yet.
   */
  anchors(agentId: string, page: Page): Promise<{ readonly anchors: readonly AgentAnchor[]; readonly total: number }>;
  /** State of those of these agents that have events, in any order. */
  agentStates(agentIds: readonly string[]): Promise<readonly AgentState[]>;
  /**
   * How the leaves `first` to `last` of an agent are stored and anchored: the number of stored leaves, and the sequences
   * of the windows that hold any of them, in ascending order.
   */
  continuity(
    agentId: string,
    first: number,
    last: number,
  ): Promise<{ readonly stored: number; readonly windows: readonly SequenceRun[] }>;
  /** The anchored window that holds this leaf of an agent; `null`: none does. */
  anchorOf(agentId: string, sequence: number): Promise<AgentAnchor | null>;
  /**
   * The anchored windows that hold any of the leaves `first` to `last` of an agent, newest first, at most `limit`; without
   * a window of which some of the agent's leaves are not stored yet.
   */
  windowsOf(agentId: string, first: number, last: number, limit: number): Promise<readonly AgentAnchor[]>;
  /**
   * The anchored windows with this Merkle root, or in this transaction, as each of these agents has leaves in them, at most
   * `limit`; without a window of which some of the agent's leaves are not stored yet.
   * @param by a root of 64 lower-case hex characters, or the signature of a transaction
   */
  windowsNamed(
    by: { readonly merkleRoot: string } | { readonly txSignature: string },
    agentIds: readonly string[],
    limit: number,
  ): Promise<readonly (AgentAnchor & { readonly agentId: string })[]>;
  /** Event ids of the leaves with sequences from `first` to `last`, in this order. */
  eventIds(agentId: string, first: number, last: number): Promise<readonly string[]>;

  /**
   * The lowest and the highest sequence among the agent's leaves with `fromMs <= occurredAt < toMs`; `null`: there are
   * none.
   */
  span(
    agentId: string,
    fromMs: number,
    toMs: number,
  ): Promise<{ readonly first: number; readonly last: number } | null>;
  /** `occurredAt` of the first and the last of the newest `count` checks of an agent, by time; `null`: it has none. */
  newestChecks(agentId: string, count: number): Promise<{ readonly firstMs: number; readonly lastMs: number } | null>;
  /** The agent's events with sequences from `first` to `last`, in this order, at most `limit`. */
  range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]>;
  /** Events whose `refersTo` is one of these, in the order of `eventIds`; those of one in the order of the log. */
  referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]>;
  /** The leaves with these ids, in the order of `eventIds`. */
  leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]>;

  /** At most `limit` heads that are newer than what was marked as published: of all agents, or only of these. */
  unpublishedHeads(limit: number, agentIds?: readonly string[]): Promise<readonly UnpublishedHead[]>;
  /**
   * Marks heads, as they were read, as published. One that has moved since stays unpublished. One that another instance
   * has marked since becomes unpublished: it is not known whose record is the last in the topic, so it is published
   * again.
   */
  markPublished(heads: readonly UnpublishedHead[]): Promise<void>;

  orderState(eventId: string): Promise<OrderState>;
  /** At most `limit` events whose order is `pending`. */
  pendingErasures(limit: number): Promise<readonly ErasedContent[]>;
  /** Acknowledges the orders of these events; events without one are ignored. */
  acknowledgeErasures(eventIds: readonly string[]): Promise<void>;
  /**
   * Sequences from `first` to `last` whose content an order has erased, in this order; not those of retention alone.
   */
  erasedAmong(agentId: string, first: number, last: number): Promise<readonly number[]>;

  /** At most `limit` agents with ids above `afterId` (empty: from the first on), in the order of ids. */
  agentsAfter(afterId: string, limit: number): Promise<readonly AgentOfAccount[]>;
  /** The first `limit` checks and outcomes of an agent whose content is stored, in sequence order. */
  keptContent(agentId: string, limit: number): Promise<readonly KeptContent[]>;
  /** State of the retention job: JSON, and the number of times that it was saved, its turn; `null`: never saved. */
  retentionState(): Promise<{ readonly turn: number; readonly body: string } | null>;
  /**
   * Saves the state of the retention job if the stored turn is `turn` − 1. `false`: it is not, and nothing was changed.
   */
  saveRetentionState(turn: number, body: string): Promise<boolean>;

  close(): Promise<void>;
}
