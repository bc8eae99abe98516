import type { ArchivedEvent, EventEnvelope, TopicName } from '@countersign/contracts';
import type { StoredEvent } from '../domain/event-record.js';
import type { EventFilter } from '../domain/event-filter.js';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The offset after the last message that is taken, saved with its effects. */
export interface Position {
  readonly topic: TopicName;
  readonly partition: number;
  readonly next: number;
}

/** The last leaf of an agent, and how many of its leaves are `action.checked`. */
export interface AgentHead {
  readonly agentId: string;
  readonly lastSequence: number;
  readonly checks: number;
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

/**
 * audit-log's store: every leaf with its sequence, the openings apart from it, and where leaves are anchored.
 * - Each writing method MUST be all or nothing, durable when it resolves.
 * - `append` MUST number the leaves of an agent from 1 without a gap in the order in which they are given, and take an
 *   event id once: a repetition changes nothing. Records below the saved position MUST NOT be given again by callers.
 * - Whatever is read by account MUST hold nothing of another account.
 */
export interface EventStore {
  position(topic: TopicName, partition: number): Promise<number | null>;
  /** Saves the leaves and the position. Applies erasures among them. Gives the heads that moved. */
  append(envelopes: readonly EventEnvelope[], position: Position): Promise<readonly AgentHead[]>;
  saveAnchors(windows: readonly AnchoredWindow[], position: Position): Promise<void>;

  /** Newest first by `occurredAt`, then by arrival. `total` counts all that the filter lets through. */
  list(
    accountId: string,
    filter: EventFilter,
    page: Page,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly total: number }>;
  /** The account's event, or `null`. */
  find(accountId: string, eventId: string): Promise<StoredEvent | null>;

  /** Leaves denied or frozen that arrived since the last acknowledge, the last arrived first. */
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
  referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]>;

  /** Heads that moved since they were last marked as published. */
  unpublishedHeads(limit: number): Promise<readonly AgentHead[]>;
  markPublished(heads: readonly AgentHead[]): Promise<void>;

  close(): Promise<void>;
}
