import { createConnection } from 'mongoose';
import type { ArchivedEvent, ErasedContent, LeafEvent, TopicName } from '@countersign/contracts';
import { mongoOptions, Generation, tellingUnreachable } from '@countersign/document-store';
import type { EventFilter } from '../domain/event-filter.js';
import type { StoredEvent } from '../domain/event-record.js';
import { placeOfOffsets } from '../domain/arrival-place.js';
import { MongoAnchors } from './mongo-anchors.js';
import { MongoAppend } from './mongo-append.js';
import { MongoClasses } from './mongo-classes.js';
import { collectionsOf, createIndexes, type Collections } from './mongo-collections.js';
import { MongoErasures } from './mongo-erasures.js';
import { MongoHeads } from './mongo-heads.js';
import { MongoHours } from './mongo-hours.js';
import { MongoInboxes } from './mongo-inboxes.js';
import { MongoList } from './mongo-list.js';
import { MongoPositions } from './mongo-positions.js';
import { createLateIndexes } from './mongo-late-indexes.js';
import type {
  AgentAnchor,
  ArrivalPlace,
  Arrivals,
  AgentHead,
  AgentOfAccount,
  AgentState,
  AnchoredWindow,
  EventStore,
  HourlyCount,
  HourlyQuery,
  Inbox,
  InboxPlace,
  KeptContent,
  LoggedEvent,
  OrderState,
  Page,
  Cursor,
  Position,
  OffsetRange,
  SequenceRun,
  StepCount,
  StepQuery,
  UnpublishedHead,
  KeysetPage,
} from './port.js';

/**
 * Connects, makes the indexes that are missing, and gives the store.
 * @param suffix of collections that a rebuild fills; absent: those in use are opened
 * @throws when no server answers
 */
export async function openMongoEventStore(uri: string, suffix?: string): Promise<EventStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const generation = suffix === undefined ? await Generation.open(connection.db!, 'audit-log') : null;
    const inUse = generation?.suffix ?? suffix ?? '';
    await prepare(uri, inUse);
    const collections = collectionsOf(connection.db!, inUse);
    return tellingUnreachable(new MongoEventStore(collections, () => connection.close(), generation));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Makes the indexes that are missing, however long the server reads a large archive for that. */
async function prepare(uri: string, suffix: string): Promise<void> {
  const connection = await createConnection(uri, { ...mongoOptions(uri), socketTimeoutMS: 0 }).asPromise();
  try {
    const collections = collectionsOf(connection.db!, suffix);
    await createIndexes(collections);
    await createLateIndexes(collections);
  } finally {
    await connection.close();
  }
}

/** {@link EventStore} in MongoDB, shared by all instances of audit-log. Decision 0023. */
export class MongoEventStore implements EventStore {
  readonly #positions: MongoPositions;
  readonly #erasures: MongoErasures;
  readonly #append: MongoAppend;
  readonly #anchors: MongoAnchors;
  readonly #list: MongoList;
  readonly #hours: MongoHours;
  readonly #inboxes: MongoInboxes;
  readonly #heads: MongoHeads;
  readonly #close: () => Promise<void>;
  readonly #generation: Generation | null;

  constructor(collections: Collections, close: () => Promise<void>, generation: Generation | null = null) {
    this.#generation = generation;
    const classes = new MongoClasses(collections.classes);
    this.#positions = new MongoPositions(collections.positions);
    this.#erasures = new MongoErasures(collections);
    this.#append = new MongoAppend(collections, this.#positions, classes, this.#erasures);
    this.#anchors = new MongoAnchors(collections, this.#positions);
    this.#list = new MongoList(collections, classes, this.#anchors);
    this.#hours = new MongoHours(collections, classes);
    this.#inboxes = new MongoInboxes(collections, this.#list);
    this.#heads = new MongoHeads(collections.heads);
    this.#close = close;
  }

  async position(topic: TopicName, partition: number): Promise<number | null> {
    await this.#generation?.require();
    return this.#positions.next(topic, partition);
  }

  positions(topic: TopicName): Promise<Readonly<Record<number, number>>> {
    return this.#positions.all(topic);
  }

  append(events: readonly LoggedEvent[], range: OffsetRange): Promise<readonly AgentHead[]> {
    return this.#append.append(events, range);
  }

  saveAnchors(windows: readonly AnchoredWindow[], position: Position): Promise<void> {
    return this.#anchors.save(windows, position);
  }

  list(
    accountId: string,
    filter: EventFilter,
    page: Page,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly total: number }> {
    return this.#list.list(accountId, filter, page);
  }

  pageAfter(accountId: string, filter: EventFilter, after: Cursor | null, limit: number): Promise<KeysetPage> {
    return this.#list.pageAfter(accountId, filter, after, limit);
  }

  async arrivalPlace(): Promise<ArrivalPlace> {
    return placeOfOffsets(await this.#positions.all('agent-events'));
  }

  arrivals(
    accountId: string,
    filter: EventFilter,
    places: { readonly after: ArrivalPlace; readonly to: ArrivalPlace },
    limit: number,
  ): Promise<Arrivals> {
    return this.#list.arrivals(accountId, filter, places, limit);
  }

  find(accountId: string, eventId: string): Promise<StoredEvent | null> {
    return this.#list.find(accountId, eventId);
  }

  findArchived(accountId: string, eventId: string): Promise<ArchivedEvent | null> {
    return this.#list.findArchived(accountId, eventId);
  }

  countHours(accountId: string, query: HourlyQuery): Promise<readonly HourlyCount[]> {
    return this.#hours.count(accountId, query);
  }

  countSteps(accountId: string, query: StepQuery): Promise<readonly StepCount[]> {
    return this.#hours.countSteps(accountId, query);
  }

  openAlerts(accountId: string, page: Page): Promise<readonly StoredEvent[]> {
    return this.#inboxes.open(accountId, page);
  }

  inbox(accountId: string): Promise<Inbox> {
    return this.#inboxes.inbox(accountId);
  }

  openLeaves(accountId: string, limit: number): ReturnType<EventStore['openLeaves']> {
    return this.#inboxes.openLeaves(accountId, limit);
  }

  closable(accountId: string, place?: InboxPlace): Promise<{ readonly count: number; readonly place: InboxPlace }> {
    return this.#inboxes.closable(accountId, place);
  }

  acknowledge(accountId: string, at: string, place?: InboxPlace): Promise<Inbox> {
    return this.#inboxes.acknowledge(accountId, at, place);
  }

  anchors(agentId: string, page: Page): Promise<{ readonly anchors: readonly AgentAnchor[]; readonly total: number }> {
    return this.#anchors.list(agentId, page);
  }

  agentStates(agentIds: readonly string[]): Promise<readonly AgentState[]> {
    return this.#anchors.states(agentIds);
  }

  continuity(
    agentId: string,
    first: number,
    last: number,
  ): Promise<{ stored: number; windows: readonly SequenceRun[] }> {
    return this.#anchors.continuity(agentId, first, last);
  }

  anchorOf(agentId: string, sequence: number): Promise<AgentAnchor | null> {
    return this.#anchors.of(agentId, sequence);
  }

  windowsOf(agentId: string, first: number, last: number, limit: number): Promise<readonly AgentAnchor[]> {
    return this.#anchors.holding(agentId, first, last, limit);
  }

  windowsNamed(
    ...[by, agentIds, limit]: Parameters<EventStore['windowsNamed']>
  ): ReturnType<EventStore['windowsNamed']> {
    return this.#anchors.named(by, agentIds, limit);
  }

  eventIds(agentId: string, first: number, last: number): Promise<readonly string[]> {
    return this.#list.eventIds(agentId, first, last);
  }

  span(agentId: string, fromMs: number, toMs: number): Promise<{ first: number; last: number } | null> {
    return this.#list.span(agentId, fromMs, toMs);
  }

  newestChecks(agentId: string, count: number): Promise<{ firstMs: number; lastMs: number } | null> {
    return this.#list.newestChecks(agentId, count);
  }

  range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]> {
    return this.#list.range(agentId, first, last, limit);
  }

  referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]> {
    return this.#list.referring(eventIds);
  }

  leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]> {
    return this.#list.leaves(eventIds);
  }

  unpublishedHeads(limit: number, agentIds?: readonly string[]): Promise<readonly UnpublishedHead[]> {
    return this.#heads.unpublished(limit, agentIds);
  }

  markPublished(heads: readonly UnpublishedHead[]): Promise<void> {
    return this.#heads.markPublished(heads);
  }

  orderState(eventId: string): Promise<OrderState> {
    return this.#erasures.orderState(eventId);
  }

  pendingErasures(limit: number): Promise<readonly ErasedContent[]> {
    return this.#erasures.pending(limit);
  }

  acknowledgeErasures(eventIds: readonly string[]): Promise<void> {
    return this.#erasures.acknowledge(eventIds);
  }

  erasedAmong(agentId: string, first: number, last: number): Promise<readonly number[]> {
    return this.#erasures.among(agentId, first, last);
  }

  agentsAfter(afterId: string, limit: number): Promise<readonly AgentOfAccount[]> {
    return this.#erasures.agentsAfter(afterId, limit);
  }

  keptContent(agentId: string, limit: number): Promise<readonly KeptContent[]> {
    return this.#erasures.kept(agentId, limit);
  }

  retentionState(): Promise<{ readonly turn: number; readonly body: string } | null> {
    return this.#erasures.state();
  }

  saveRetentionState(turn: number, body: string): Promise<boolean> {
    return this.#erasures.saveState(turn, body);
  }

  close(): Promise<void> {
    return this.#close();
  }
}
