import type { ArchivedEvent, LeafEvent, TopicName } from '@countersign/contracts';
import { openDatabase, type SqliteDatabase } from '@countersign/service-kit';
import type { StoredEvent } from '../domain/event-record.js';
import type { EventFilter } from '../domain/event-filter.js';
import {
  StoreConflict,
  type AgentAnchor,
  type AgentHead,
  type AnchoredWindow,
  type EventStore,
  type Inbox,
  type LoggedEvent,
  type Page,
  type Position,
  type Stretch,
  type UntoldHead,
  type Place,
} from './port.js';
import { MIGRATIONS } from './schema.js';
import { SqliteAppend } from './sqlite-append.js';
  type Walked,
import { SqliteList } from './sqlite-list.js';
import { idBytes, idText, SqliteNumbers } from './sqlite-numbers.js';

interface InboxRow {
  readonly n: number;
  readonly openCount: number;
  readonly acknowledgedAt: string | null;
  readonly acknowledgedN: number;
}

/** {@link EventStore} in one SQLite file. */
export class SqliteEventStore implements EventStore {
  readonly #database: SqliteDatabase;
  readonly #numbers: SqliteNumbers;
  readonly #append: SqliteAppend;
  readonly #list: SqliteList;

  /** @throws StoreDamaged naming the file */
  constructor(file: string) {
    this.#database = openDatabase(file, MIGRATIONS);
    // A larger cache and rarer checkpoints: pages of the indexes are written once for many batches.
    this.#database.pragma('cache_size = -65536');
    this.#database.pragma('wal_autocheckpoint = 4000');
    this.#numbers = new SqliteNumbers(this.#database);
    this.#append = new SqliteAppend(this.#database, this.#numbers);
    this.#list = new SqliteList(this.#database, this.#numbers);
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

  async append(events: readonly LoggedEvent[], stretch: Stretch): Promise<readonly AgentHead[]> {
    const { topic, partition, from } = stretch;
    this.#append.trim();
    return this.#transaction(() => {
      const saved = this.#position(topic, partition) ?? 0;
      if (saved < from) {
        throw new StoreConflict(`the store ends at offset ${saved} of ${topic}/${partition}, its reader at ${from}`);
      }
      const heads = this.#append.write(events.filter(({ offset }) => offset >= saved).map(({ envelope }) => envelope));
      this.#savePosition(stretch);
      return heads;
    });
  }

  async saveAnchors(windows: readonly AnchoredWindow[], position: Position): Promise<void> {
    const addWindow = this.#database
      .prepare<(string | number)[], number>(
        `INSERT INTO windows (id, window_start, window_end, merkle_root, tx_signature, block_height, anchored_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET id = id RETURNING n`,
      )
      .pluck();
    const addAgent = this.#database.prepare<[string]>('INSERT OR IGNORE INTO agents (id) VALUES (?)');
    const place = this.#database.prepare<[string, number, number, number]>(
      `INSERT OR IGNORE INTO agent_windows (agent_n, first_sequence, last_sequence, window_n)
       VALUES ((SELECT n FROM agents WHERE id = ?), ?, ?, ?)`,
    );
    this.#transaction(() => {
      for (const window of windows) {
        const { windowId, windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt } = window;
        const n = addWindow.get(windowId, windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt)!;
        for (const { agentId, firstSequence, lastSequence } of window.agents) {
          addAgent.run(agentId);
          place.run(agentId, firstSequence, lastSequence, n);
        }
      }
      this.#savePosition(position);
    });
  }
  async walk(accountId: string, filter: EventFilter, after: Place | null, limit: number): Promise<Walked> {
    return this.#list.walk(accountId, filter, after, limit);
  }


  async list(accountId: string, filter: EventFilter, page: Page): ReturnType<EventStore['list']> {
    return this.#list.list(accountId, filter, page);
  }

  async find(accountId: string, eventId: string): Promise<StoredEvent | null> {
    return this.#list.find(accountId, idBytes(eventId));
  }

  async openAlerts(accountId: string, page: Page): Promise<readonly StoredEvent[]> {
    const row = this.#inbox(accountId);
    return row === undefined ? [] : this.#list.blocked(row.n, row.acknowledgedN, page);
  }

  async inbox(accountId: string): Promise<Inbox> {
    const row = this.#inbox(accountId);
    return { openCount: row?.openCount ?? 0, acknowledgedAt: row?.acknowledgedAt ?? null };
  }

  async acknowledge(accountId: string, at: string): Promise<Inbox> {
    this.#transaction(() => {
      this.#database
        .prepare<[string, number]>(
          `UPDATE accounts SET open_count = 0, acknowledged_at = ?,
           acknowledged_n = coalesce((SELECT max(n) FROM events), 0) WHERE n = ?`,
        )
        .run(at, this.#numbers.account(accountId));
    });
    return { openCount: 0, acknowledgedAt: at };
  }

  async anchors(
    agentId: string,
    { limit, offset }: Page,
  ): Promise<{ readonly anchors: readonly AgentAnchor[]; readonly total: number }> {
    const stored = `FROM agent_windows p JOIN agents a ON a.n = p.agent_n
      WHERE a.id = ? AND p.last_sequence <= a.last_sequence`;
    const total = this.#database.prepare<[string], number>(`SELECT count(*) ${stored}`).pluck().get(agentId)!;
    const anchors = this.#database
      .prepare<[string, number, number], AgentAnchor>(
        `SELECT w.window_start AS windowStart, w.window_end AS windowEnd, w.merkle_root AS merkleRoot,
         w.tx_signature AS txSignature, w.block_height AS blockHeight, w.anchored_at AS anchoredAt,
         p.first_sequence AS firstSequence, p.last_sequence AS lastSequence
         ${stored.replace('WHERE', 'JOIN windows w ON w.n = p.window_n WHERE')}
         ORDER BY p.first_sequence DESC LIMIT ? OFFSET ?`,
      )
      .all(agentId, limit, offset);
    return { anchors, total };
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

  async range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]> {
    return this.#list.range(agentId, first, last, limit);
  }

  async referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]> {
    return eventIds.flatMap((eventId) => this.#list.referring(idBytes(eventId)));
  }

  async leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]> {
    return eventIds.flatMap((eventId) => this.#list.leaf(idBytes(eventId)));
  }

  async unpublishedHeads(limit: number, agentIds?: readonly string[]): Promise<readonly UntoldHead[]> {
    return this.#database
      .prepare<[string | null, string | null, number], UntoldHead>(
        `SELECT id AS agentId, last_sequence AS lastSequence, checks, published_sequence AS toldSequence FROM agents
         WHERE last_sequence > published_sequence AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))
         ORDER BY n LIMIT ?`,
      )
      .all(...twice(agentIds === undefined ? null : JSON.stringify(agentIds)), limit);
  }

  async markPublished(heads: readonly UntoldHead[]): Promise<void> {
    const mark = this.#database.prepare<UntoldHead>(
      `UPDATE agents SET published_sequence =
         iif(published_sequence IN (@toldSequence, @lastSequence), @lastSequence, 0) WHERE id = @agentId`,
    );
    this.#transaction(() => {
      for (const head of heads) mark.run(head);
    });
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #inbox(accountId: string): InboxRow | undefined {
    return this.#database
      .prepare<[string], InboxRow>(
        `SELECT n, open_count AS openCount, acknowledged_at AS acknowledgedAt, acknowledged_n AS acknowledgedN
         FROM accounts WHERE id = ?`,
      )
      .get(accountId);
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
