import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type {
  Collection,
  DocumentStore,
  Keys,
  OutgoingRecord,
  Query,
  RowId,
  Stored,
  Transaction,
  VersionRaise,
  Where,
} from '../port.js';
import { openDatabase } from './open-database.js';
import type { SqliteDatabase } from './open-database.js';
import { prepareCollections } from './schema.js';
import { SqliteReads } from './sqlite-reads.js';
import { SqliteTransaction } from './sqlite-transaction.js';

const PAGE = 500;
const LONGEST_WAIT_MS = 5_000;

interface OutboxRow extends OutgoingRecord {
  readonly id: number;
}

/**
 * Documents in one SQLite file. A second connection reads, so that a read sees committed documents alone while a
 * transaction awaits something.
 * @param migrations of the file before its documents: what an older layout needs to become documents
 * @throws StoreDamaged naming the file
 */
export function openSqliteDocumentStore(
  file: string,
  collections: readonly Collection<object>[],
  migrations: readonly string[] = [],
): DocumentStore {
  const database = openDatabase(file, migrations);
  try {
    prepareCollections(database, collections);
    database.pragma('busy_timeout = 0');
    const reader = new Database(file, { readonly: true, timeout: 5_000 });
    return new SqliteDocumentStore(database, reader);
  } catch (error) {
    database.close();
    throw error;
  }
}

class SqliteDocumentStore implements DocumentStore {
  readonly #reads: SqliteReads;
  readonly #transaction: SqliteTransaction;
  /** Transactions of this process run one after another: SQLite has one writer. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: SqliteDatabase,
    private readonly reader: SqliteDatabase,
  ) {
    this.#reads = new SqliteReads(reader);
    this.#transaction = new SqliteTransaction(database);
  }

  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#transact(work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  get<B extends object, K extends Keys>(collection: Collection<B, K>, id: string): Promise<Stored<B> | null> {
    return this.#reads.get(collection, id);
  }

  getMany<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Stored<B>>> {
    return this.#reads.getMany(collection, ids);
  }

  find<B extends object, K extends Keys>(collection: Collection<B, K>, query: Query<K>): Promise<readonly Stored<B>[]> {
    return this.#reads.find(collection, query);
  }

  count<B extends object, K extends Keys>(collection: Collection<B, K>, where?: Where<K>): Promise<number> {
    return this.#reads.count(collection, where);
  }

  async *all<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>> {
    for (let after = ''; ;) {
      const page = this.#reads.page(collection, after, PAGE);
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async pending(limit: number): Promise<readonly { readonly id: RowId; readonly record: OutgoingRecord }[]> {
    const rows = this.reader
      .prepare<[number], OutboxRow>('SELECT id, topic, key, value FROM doc_outbox ORDER BY id LIMIT ?')
      .all(limit);
    return rows.map(({ id, ...record }) => ({ id, record }));
  }

  async unannounced(limit: number): Promise<readonly (VersionRaise & { readonly row: RowId })[]> {
    return this.reader
      .prepare<[number], VersionRaise & { readonly row: number }>(
        'SELECT row, kind, id, version FROM doc_raises ORDER BY row LIMIT ?',
      )
      .all(limit);
  }

  sent(ids: readonly RowId[]): Promise<void> {
    return this.#removeRows('DELETE FROM doc_outbox WHERE id IN (SELECT value FROM json_each(?))', ids);
  }

  announced(rows: readonly RowId[]): Promise<void> {
    return this.#removeRows('DELETE FROM doc_raises WHERE row IN (SELECT value FROM json_each(?))', rows);
  }

  async close(): Promise<void> {
    await this.#last;
    this.reader.close();
    this.database.close();
  }

  async #transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      const result = await work(this.#transaction);
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      // A failed COMMIT, or a full disk, may have ended the transaction already.
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Another connection may hold the file: waiting inside SQLite would block this thread, which may be the one to let go. */
  async #begin(): Promise<void> {
    for (const until = performance.now() + LONGEST_WAIT_MS; ;) {
      try {
        this.database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== 'SQLITE_BUSY' || performance.now() > until) throw error;
      }
      await delay(Math.random() * 5);
    }
  }

  #removeRows(sql: string, ids: readonly RowId[]): Promise<void> {
    return this.transact(async () => {
      this.database.prepare(sql).run(JSON.stringify(ids));
    });
  }
}
