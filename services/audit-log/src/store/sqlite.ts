import type { ArchivedEvent, ErasedContent, LeafEvent, TopicName } from '@countersign/contracts';
import { openDatabase } from '@countersign/document-store';
import type { SqliteDatabase } from '@countersign/document-store';
import { requireKept } from '@countersign/event-log';
import type { StoredEvent } from '../domain/event-record.js';
import type { EventFilter } from '../domain/event-filter.js';
import { placeOfOffsets, runsBetween } from '../domain/arrival-place.js';
import {
  type AgentAnchor,
  type ArrivalPlace,
  type Arrivals,
  type AgentHead,
  type AgentOfAccount,
  type AgentState,
  type AnchoredWindow,
  type EventStore,
  type HourlyCount,
  type HourlyQuery,
  type Inbox,
  type InboxPlace,
  type KeptContent,
  type LoggedEvent,
  type OrderState,
  type Page,
  type Cursor,
  type Position,
  type OffsetRange,
  type SequenceRun,
  type StepCount,
  type StepQuery,
  type UnpublishedHead,
  type KeysetPage,
} from './port.js';
import { MIGRATIONS } from './schema.js';
import { SqliteAnchors } from './sqlite-anchors.js';
import { SqliteAppend } from './sqlite-append.js';
import { SqliteErasures } from './sqlite-erasures.js';
import { SqliteHours } from './sqlite-hours.js';
import { SqliteInboxes } from './sqlite-inboxes.js';
import { SqliteList } from './sqlite-list.js';
import { idBytes, idText, SqliteNumbers } from './sqlite-numbers.js';
import { SqliteKeyset } from './sqlite-keyset.js';

/** {@link EventStore} in one SQLite file. */
export class SqliteEventStore implements EventStore {
  readonly #database: SqliteDatabase;
  readonly #numbers: SqliteNumbers;
  readonly #append: SqliteAppend;
  readonly #anchors: SqliteAnchors;
  readonly #erasures: SqliteErasures;
  readonly #list: SqliteList;
  readonly #hours: SqliteHours;
  readonly #inboxes: SqliteInboxes;
  readonly #keyset: SqliteKeyset;

  /** @throws StoreDamaged naming the file */
  constructor(file: string) {
    this.#database = openDatabase(file, MIGRATIONS);
    // A larger cache and rarer checkpoints: pages of the indexes are written once for many batches.
    this.#database.pragma('cache_size = -65536');
    this.#database.pragma('wal_autocheckpoint = 4000');
    this.#numbers = new SqliteNumbers(this.#database);
    this.#erasures = new SqliteErasures(this.#database);
    this.#append = new SqliteAppend(this.#database, this.#numbers, this.#erasures);
    // What a killed process left in the write-ahead log.
    this.#erasures.scrub();
    this.#anchors = new SqliteAnchors(this.#database);
    this.#list = new SqliteList(this.#database, this.#numbers);
    this.#inboxes = new SqliteInboxes(this.#database, this.#numbers, this.#list);
    this.#hours = new SqliteHours(this.#database, this.#numbers);
    this.#keyset = new SqliteKeyset(file, this.#numbers);
  }

  async position(topic: TopicName, partition: number): Promise<number | null> {
    return this.#position(topic, partition);
  }

  async positions(topic: TopicName): Promise<Readonly<Record<number, number>>> {
    const rows = this.#database
      .prepare<[string], [number, number]>('SELECT partition, next FROM positions WHERE topic = ?')
      .raw()
      .all(topic);
    return Object.fromEntries(rows);
  }

  async append(events: readonly LoggedEvent[], range: OffsetRange): Promise<readonly AgentHead[]> {
    const { topic, partition } = range;
    this.#append.trim();
    const heads = this.#transaction(() => {
      const saved = this.#position(topic, partition) ?? 0;
      requireKept(saved, range);
      const moved = this.#append.write(events.filter(({ offset }) => offset >= saved).map(({ envelope }) => envelope));
      this.#savePosition(range);
      return moved;
    });
    this.#erasures.scrub();
    return heads;
  }

  async saveAnchors(windows: readonly AnchoredWindow[], position: Position): Promise<void> {
    this.#transaction(() => {
      requireKept(this.#position(position.topic, position.partition), position);
      this.#anchors.save(windows);
      this.#savePosition(position);
    });
  }

  async list(accountId: string, filter: EventFilter, page: Page): ReturnType<EventStore['list']> {
    return this.#list.list(accountId, filter, page);
  }

  async pageAfter(accountId: string, filter: EventFilter, after: Cursor | null, limit: number): Promise<KeysetPage> {
    return this.#keyset.pageAfter(accountId, filter, after, limit);
  }

  async arrivalPlace(): Promise<ArrivalPlace> {
    return placeOfOffsets({ 0: this.#list.lastRow() });
  }

  async arrivals(
    accountId: string,
    filter: EventFilter,
    { after, to }: { readonly after: ArrivalPlace; readonly to: ArrivalPlace },
    limit: number,
  ): Promise<Arrivals> {
    const [run] = runsBetween(after, to);
    return run === undefined
      ? { events: [], count: 0 }
      : this.#list.arrivals(accountId, filter, { afterN: run.from, toN: run.to }, limit);
  }

  async find(accountId: string, eventId: string): Promise<StoredEvent | null> {
    return this.#list.find(accountId, idBytes(eventId));
  }

  async findArchived(accountId: string, eventId: string): Promise<ArchivedEvent | null> {
    return this.#list.findArchived(accountId, idBytes(eventId));
  }

  async countHours(accountId: string, query: HourlyQuery): Promise<readonly HourlyCount[]> {
    return this.#hours.count(accountId, query);
  }

  async countSteps(accountId: string, query: StepQuery): Promise<readonly StepCount[]> {
    return this.#hours.countSteps(accountId, query);
  }

  async openAlerts(accountId: string, page: Page): Promise<readonly StoredEvent[]> {
    return this.#inboxes.open(accountId, page);
  }

  async inbox(accountId: string): Promise<Inbox> {
    return this.#inboxes.inbox(accountId);
  }

  async openLeaves(accountId: string, limit: number): ReturnType<EventStore['openLeaves']> {
    return this.#inboxes.openLeaves(accountId, limit);
  }

  async closable(
    accountId: string,
    place?: InboxPlace,
  ): Promise<{ readonly count: number; readonly place: InboxPlace }> {
    return this.#inboxes.closable(accountId, place);
  }

  async acknowledge(accountId: string, at: string, place?: InboxPlace): Promise<Inbox> {
    return this.#transaction(() => this.#inboxes.acknowledge(accountId, at, place));
  }

  async anchors(
    agentId: string,
    page: Page,
  ): Promise<{ readonly anchors: readonly AgentAnchor[]; readonly total: number }> {
    return this.#anchors.list(agentId, page);
  }

  async agentStates(agentIds: readonly string[]): Promise<readonly AgentState[]> {
    return this.#anchors.states(agentIds);
  }

  async continuity(
    agentId: string,
    first: number,
    last: number,
  ): Promise<{ stored: number; windows: readonly SequenceRun[] }> {
    return this.#anchors.continuity(agentId, first, last);
  }

  async anchorOf(agentId: string, sequence: number): Promise<AgentAnchor | null> {
    return this.#anchors.of(agentId, sequence);
  }

  async windowsOf(agentId: string, first: number, last: number, limit: number): Promise<readonly AgentAnchor[]> {
    return this.#anchors.holding(agentId, first, last, limit);
  }

  async windowsNamed(
    ...[by, agentIds, limit]: Parameters<EventStore['windowsNamed']>
  ): ReturnType<EventStore['windowsNamed']> {
    return this.#anchors.named(by, agentIds, limit);
  }

  async eventIds(agentId: string, first: number, last: number): Promise<readonly string[]> {
    return this.#database
      .prepare<[string, number, number], Buffer>(
        `SELECT event_id FROM events WHERE agent_n = (SELECT n FROM agents WHERE id = ?)
         AND sequence BETWEEN ? AND ? ORDER BY sequence`,
      )
      .pluck()
      .all(agentId, first, last)
      .map(idText);
  }

  async span(agentId: string, fromMs: number, toMs: number): Promise<{ first: number; last: number } | null> {
    const row = this.#database
      .prepare<[string, number, number], { first: number | null; last: number | null }>(
        `SELECT min(sequence) AS first, max(sequence) AS last FROM events INDEXED BY events_by_agent
         WHERE agent_n = (SELECT n FROM agents WHERE id = ?) AND occurred_at >= ? AND occurred_at < ?`,
      )
      .get(agentId, fromMs, toMs)!;
    return row.first === null || row.last === null ? null : { first: row.first, last: row.last };
  }

  async newestChecks(agentId: string, count: number): Promise<{ firstMs: number; lastMs: number } | null> {
    return this.#list.newestChecks(agentId, count);
  }

  async range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]> {
    return this.#list.range(agentId, first, last, limit);
  }

  async referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]> {
    return eventIds.flatMap((eventId) => this.#list.referring(idBytes(eventId)));
  }

  async leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]> {
    return eventIds.flatMap((eventId) => this.#list.leaf(idBytes(eventId)));
  }

  async unpublishedHeads(limit: number, agentIds?: readonly string[]): Promise<readonly UnpublishedHead[]> {
    return this.#database
      .prepare<[string | null, string | null, number], UnpublishedHead>(
        `SELECT id AS agentId, last_sequence AS lastSequence, checks, published_sequence AS publishedSequence FROM agents
         WHERE last_sequence > published_sequence AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))
         ORDER BY n LIMIT ?`,
      )
      .all(...twice(agentIds === undefined ? null : JSON.stringify(agentIds)), limit);
  }

  async markPublished(heads: readonly UnpublishedHead[]): Promise<void> {
    const mark = this.#database.prepare<UnpublishedHead>(
      `UPDATE agents SET published_sequence =
         iif(published_sequence IN (@publishedSequence, @lastSequence), @lastSequence, 0) WHERE id = @agentId`,
    );
    this.#transaction(() => {
      for (const head of heads) mark.run(head);
    });
  }

  async orderState(eventId: string): Promise<OrderState> {
    return this.#erasures.orderState(eventId);
  }

  async pendingErasures(limit: number): Promise<readonly ErasedContent[]> {
    return this.#erasures.pending(limit);
  }

  async acknowledgeErasures(eventIds: readonly string[]): Promise<void> {
    this.#transaction(() => this.#erasures.acknowledge(eventIds));
  }

  async erasedAmong(agentId: string, first: number, last: number): Promise<readonly number[]> {
    return this.#erasures.among(agentId, first, last);
  }

  async agentsAfter(afterId: string, limit: number): Promise<readonly AgentOfAccount[]> {
    return this.#erasures.agentsAfter(afterId, limit);
  }

  async keptContent(agentId: string, limit: number): Promise<readonly KeptContent[]> {
    return this.#erasures.kept(agentId, limit);
  }

  async retentionState(): Promise<{ readonly turn: number; readonly body: string } | null> {
    return this.#erasures.state();
  }

  async saveRetentionState(turn: number, body: string): Promise<boolean> {
    return this.#erasures.saveState(turn, body);
  }

  async close(): Promise<void> {
    this.#keyset.close();
    this.#database.close();
  }

  #position(topic: TopicName, partition: number): number | null {
    const next = this.#database
      .prepare<[string, number], number>('SELECT next FROM positions WHERE topic = ? AND partition = ?')
      .pluck()
      .get(topic, partition);
    return next ?? null;
  }

  #savePosition({ topic, partition, next }: Position): void {
    this.#database
      .prepare<[string, number, number]>(
        `INSERT INTO positions (topic, partition, next) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET next = max(next, excluded.next)`,
      )
      .run(topic, partition, next);
  }

  #transaction<T>(work: () => T): T {
    try {
      return this.#database.transaction(work).immediate();
    } catch (error) {
      this.#append.forget();
      throw error;
    }
  }
}

function twice<T>(value: T): [T, T] {
  return [value, value];
}
