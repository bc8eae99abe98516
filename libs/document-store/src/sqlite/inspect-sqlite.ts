import Database from 'better-sqlite3';
import { bodyOf, OtherLayout, problemOf } from '../inspect.js';
import type { DocumentInspection, Problem, RawDocument } from '../inspect.js';
import type { Collection, Keys, KeyValue, OutgoingRecord, RowId, Stored, VersionRaise } from '../port.js';
import type { SqliteDatabase } from './open-database.js';
import { columnOf, tableOf } from './sql.js';

const PAGE = 500;

interface Row {
  readonly id: string;
  readonly version: number;
  readonly body: string;
  readonly checksum: string;
  readonly [key: string]: string | number | null;
}

/** Opens the documents of a stopped service for reading. @throws OtherLayout */
export function inspectSqliteDocuments(file: string, collections: readonly Collection<object>[]): DocumentInspection {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    requireLayout(database, collections);
    return new SqliteInspection(database, collections);
  } catch (error) {
    database.close();
    throw error;
  }
}

function requireLayout(database: SqliteDatabase, collections: readonly Collection<object>[]): void {
  const has = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'doc_collections'`).get() !== undefined;
  const rows = has
    ? database
        .prepare<[], { readonly name: string; readonly keys_version: number }>(
          'SELECT name, keys_version FROM doc_collections',
        )
        .all()
    : [];
  const versions = new Map(rows.map(({ name, keys_version: version }) => [name, version]));
  for (const { name, keysVersion } of collections) {
    if (versions.get(name) !== keysVersion) throw new OtherLayout(`collection ${name} is not of this release`);
  }
}

class SqliteInspection implements DocumentInspection {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly collections: readonly Collection<object>[],
  ) {}

  async *documents<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>> {
    for (const { id, version, body } of this.#rows(collection)) {
      const value = bodyOf<B>(body);
      if (value !== null) yield { id, version, body: value };
    }
  }

  async *outbox(): AsyncIterable<{ readonly id: RowId; readonly record: OutgoingRecord }> {
    const rows = this.database
      .prepare<[], OutgoingRecord & { readonly id: number }>('SELECT id, topic, key, value FROM doc_outbox ORDER BY id')
      .all();
    for (const { id, ...record } of rows) yield { id, record };
  }

  async *raises(): AsyncIterable<VersionRaise & { readonly row: RowId }> {
    yield* this.database
      .prepare<[], VersionRaise & { readonly row: number }>(
        'SELECT row, kind, id, version FROM doc_raises ORDER BY row',
      )
      .all();
  }

  async *problems(): AsyncIterable<Problem> {
    for (const collection of this.collections) {
      for (const row of this.#rows(collection)) {
        const problem = problemOf(collection, rawOf(collection, row));
        if (problem !== null) yield { place: `${collection.name} ${row.id}`, problem };
      }
    }
  }

  async close(): Promise<void> {
    this.database.close();
  }

  *#rows(collection: Pick<Collection<object>, 'name'>): Iterable<Row> {
    const page = this.database.prepare<[string, number], Row>(
      `SELECT * FROM ${tableOf(collection)} WHERE id > ? ORDER BY id LIMIT ?`,
    );
    for (let after = ''; ;) {
      const rows = page.all(after, PAGE);
      yield* rows;
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.id;
    }
  }
}

function rawOf({ keys }: Pick<Collection<object>, 'keys'>, row: Row): RawDocument {
  const { id, version, body, checksum } = row;
  const values = Object.entries(keys).map(([key, type]) => {
    const value = row[columnOf(key).slice(1, -1)] ?? null;
    const read: KeyValue = type === 'boolean' && value !== null ? value === 1 : value;
    return [key, read] as const;
  });
  return { id, version, body, checksum, keys: Object.fromEntries(values) };
}
