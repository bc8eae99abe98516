import { randomUUID } from 'node:crypto';
import { uuidV7 } from '@countersign/evidence';
import { openDatabase, type SqliteDatabase } from '@countersign/service-kit';
import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import type { Folded, Thread } from '../domain/thread.js';
import { byThread, REMEMBERED_MS } from './port.js';
import type { AlertStore, Backlog, Claim, DeliveryPage, Fold, NoticedBatch } from './port.js';

const MIGRATIONS = [
  `CREATE TABLE destinations (
     id TEXT PRIMARY KEY, account_id TEXT NOT NULL, created_at TEXT NOT NULL, enabled INTEGER NOT NULL,
     revision INTEGER NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX destinations_by_account ON destinations (account_id, created_at, id);
   CREATE TABLE threads (
     key TEXT PRIMARY KEY, destination_id TEXT NOT NULL, window_ends_ms INTEGER NOT NULL, sum_due_ms INTEGER,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX threads_by_destination ON threads (destination_id);
   CREATE INDEX threads_due ON threads (sum_due_ms) WHERE sum_due_ms IS NOT NULL;
   CREATE INDEX threads_idle ON threads (window_ends_ms) WHERE sum_due_ms IS NULL;
   CREATE TABLE messages (
     id TEXT PRIMARY KEY, destination_id TEXT NOT NULL, created_ms INTEGER NOT NULL, due_ms INTEGER, token TEXT,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX messages_by_destination ON messages (destination_id, created_ms DESC, id DESC);
   CREATE INDEX messages_due ON messages (due_ms) WHERE due_ms IS NOT NULL;
   CREATE INDEX messages_settled ON messages (created_ms) WHERE due_ms IS NULL;
   CREATE TABLE seen_events (partition INTEGER, id TEXT, PRIMARY KEY (partition, id)) STRICT, WITHOUT ROWID;
   CREATE TABLE positions (partition INTEGER PRIMARY KEY, next INTEGER NOT NULL) STRICT;`,
  // A claim goes past the due messages of destinations that have to wait without reading their rows.
  `DROP INDEX messages_due;
   CREATE INDEX messages_due ON messages (due_ms, destination_id) WHERE due_ms IS NOT NULL;`,
];

interface Body {
  readonly body: string;
}

/**
 * Opens (or creates) `file`, which one process holds: claims that it finds are those of a process that has ended.
 * @throws StoreDamaged naming the file
 */
export function openSqliteAlertStore(file: string): AlertStore {
  const db = openDatabase(file, MIGRATIONS);
  db.prepare('UPDATE messages SET due_ms = 0, token = NULL WHERE token IS NOT NULL').run();
  return new SqliteAlertStore(db);
}

class SqliteAlertStore implements AlertStore {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  async addDestination(destination: Destination): Promise<void> {
    const { id, accountId, createdAt, enabled, revision } = destination;
    this.#db
      .prepare(
        'INSERT INTO destinations (id, account_id, created_at, enabled, revision, body) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(id, accountId, createdAt, Number(enabled), revision, JSON.stringify(destination));
  }

  async replaceDestination(destination: Destination): Promise<boolean> {
    const { id, enabled, revision } = destination;
    const { changes } = this.#db
      .prepare('UPDATE destinations SET enabled = ?, revision = ?, body = ? WHERE id = ? AND revision = ?')
      .run(Number(enabled), revision, JSON.stringify(destination), id, revision - 1);
    return changes > 0;
  }

  async removeDestination(accountId: string, id: string): Promise<boolean> {
    return this.#db.transaction(() => {
      const { changes } = this.#db
        .prepare('DELETE FROM destinations WHERE id = ? AND account_id = ?')
        .run(id, accountId);
      if (changes === 0) return false;
      this.#db.prepare('DELETE FROM threads WHERE destination_id = ?').run(id);
      this.#db.prepare('DELETE FROM messages WHERE destination_id = ?').run(id);
      return true;
    })();
  }

  async destination(id: string): Promise<Destination | null> {
    return read(this.#db.prepare<[string], Body>('SELECT body FROM destinations WHERE id = ?').get(id));
  }

  async destinationOf(accountId: string, id: string): Promise<Destination | null> {
    const sql = 'SELECT body FROM destinations WHERE id = ? AND account_id = ?';
    return read(this.#db.prepare<[string, string], Body>(sql).get(id, accountId));
  }

  async destinations(accountId: string): Promise<readonly Destination[]> {
    return this.#db
      .prepare<[string], Body>('SELECT body FROM destinations WHERE account_id = ? ORDER BY created_at, id')
      .all(accountId)
      .map(parse<Destination>);
  }

  async enabledDestinations(accountIds: readonly string[]): Promise<readonly Destination[]> {
    return this.#db
      .prepare<[string], Body>(
        `SELECT body FROM destinations WHERE enabled = 1 AND account_id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(accountIds))
      .map(parse<Destination>);
  }

  async position(partition: number): Promise<number | null> {
    return this.#position(partition);
  }

  async follow({ partition, next, logTimeMs, notices }: NoticedBatch, fold: Fold): Promise<void> {
    this.#db.transaction(() => {
      const from = this.#position(partition) ?? 0;
      if (next <= from) return;
      const remember = this.#db.prepare('INSERT INTO seen_events (partition, id) VALUES (?, ?) ON CONFLICT DO NOTHING');
      // An event has a notice for each destination, and one offset.
      const fresh = new Map<string, number>();
      for (const { violation } of notices) {
        if (violation.offset < from || fresh.has(violation.eventId)) continue;
        const isNew = remember.run(partition, violation.eventId).changes > 0;
        fresh.set(violation.eventId, isNew ? violation.offset : -1);
      }
      const once = notices.filter(({ violation }) => fresh.get(violation.eventId) === violation.offset);
      for (const [key, own] of byThread(once, from)) this.#put(fold(this.#thread(key), own));
      const idFloor = uuidV7(Math.max(0, logTimeMs - REMEMBERED_MS), new Uint8Array(10));
      this.#db.prepare('DELETE FROM seen_events WHERE partition = ? AND id < ?').run(partition, idFloor);
      this.#db
        .prepare(
          'INSERT INTO positions (partition, next) VALUES (?, ?) ON CONFLICT (partition) DO UPDATE SET next = excluded.next',
        )
        .run(partition, next);
    })();
  }

  async closeSums(nowMs: number, limit: number, close: (thread: Thread) => Folded): Promise<number> {
    return this.#db.transaction(() => {
      const due = this.#db
        .prepare<[number, number], Body>('SELECT body FROM threads WHERE sum_due_ms <= ? ORDER BY sum_due_ms LIMIT ?')
        .all(nowMs, limit)
        .map(parse<Thread>);
      for (const thread of due) this.#put(close(thread));
      return due.length;
    })();
  }

  async addMessages(messages: readonly Message[]): Promise<void> {
    this.#db.transaction(() => this.#addMessages(messages))();
  }

  async claim(nowMs: number, untilMs: number, except: readonly string[]): Promise<Claim | null> {
    return this.#db.transaction(() => {
      const message = read<Message>(
        this.#db
          .prepare<[number, string], Body>(
            `SELECT body FROM messages WHERE due_ms <= ? AND destination_id NOT IN (SELECT value FROM json_each(?))
             ORDER BY due_ms LIMIT 1`,
          )
          .get(nowMs, JSON.stringify(except)),
      );
      if (message === null) return null;
      const token = randomUUID();
      this.#db.prepare('UPDATE messages SET due_ms = ?, token = ? WHERE id = ?').run(untilMs, token, message.id);
      return { message, token };
    })();
  }

  async settle(token: string, message: Message): Promise<boolean> {
    const { changes } = this.#db
      .prepare('UPDATE messages SET due_ms = ?, token = NULL, body = ? WHERE id = ? AND token = ?')
      .run(message.dueAtMs, JSON.stringify(message), message.id, token);
    return changes > 0;
  }

  async deliveries(destinationId: string, limit: number, offset: number): Promise<DeliveryPage> {
    const messages = this.#db
      .prepare<[string, number, number], Body>(
        'SELECT body FROM messages WHERE destination_id = ? ORDER BY created_ms DESC, id DESC LIMIT ? OFFSET ?',
      )
      .all(destinationId, limit, offset)
      .map(parse<Message>);
    const total = this.#db
      .prepare<[string], { readonly n: number }>('SELECT count(*) AS n FROM messages WHERE destination_id = ?')
      .get(destinationId);
    return { messages, total: total?.n ?? 0 };
  }

  async backlog(): Promise<Backlog> {
    return this.#db
      .prepare<[], Backlog>(
        'SELECT count(*) AS waiting, min(due_ms) AS oldestDueMs FROM messages WHERE due_ms IS NOT NULL',
      )
      .get()!;
  }

  async forget(threadsBeforeMs: number, messagesBeforeMs: number): Promise<void> {
    this.#db.prepare('DELETE FROM threads WHERE sum_due_ms IS NULL AND window_ends_ms < ?').run(threadsBeforeMs);
    this.#db.prepare('DELETE FROM messages WHERE due_ms IS NULL AND created_ms < ?').run(messagesBeforeMs);
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #position(partition: number): number | null {
    return (
      this.#db
        .prepare<[number], { readonly next: number }>('SELECT next FROM positions WHERE partition = ?')
        .get(partition)?.next ?? null
    );
  }

  #thread(key: string): Thread | null {
    return read(this.#db.prepare<[string], Body>('SELECT body FROM threads WHERE key = ?').get(key));
  }

  #put({ thread, messages }: Folded): void {
    const { key, destinationId, windowEndsMs, sum } = thread;
    this.#db
      .prepare(
        `INSERT INTO threads (key, destination_id, window_ends_ms, sum_due_ms, body) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET window_ends_ms = excluded.window_ends_ms, sum_due_ms = excluded.sum_due_ms,
           body = excluded.body`,
      )
      .run(key, destinationId, windowEndsMs, sum?.dueAtMs ?? null, JSON.stringify(thread));
    this.#addMessages(messages);
  }

  #addMessages(messages: readonly Message[]): void {
    const add = this.#db.prepare(
      `INSERT INTO messages (id, destination_id, created_ms, due_ms, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    );
    for (const message of messages) {
      add.run(message.id, message.destinationId, message.createdAtMs, message.dueAtMs, JSON.stringify(message));
    }
  }
}

function parse<T>({ body }: Body): T {
  return JSON.parse(body) as T;
}

function read<T>(row: Body | undefined): T | null {
  return row === undefined ? null : parse<T>(row);
}
