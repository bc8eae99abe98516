import { checksumOf } from '../checksum.js';
import type { Collection } from '../port.js';
import type { SqliteDatabase } from './open-database.js';
import { bound, columnDefinition, columnOf, tableOf } from './sql.js';

const PAGE = 500;

/** Tables that every file of documents has in addition to them. */
export const DOCUMENT_TABLES = `
CREATE TABLE IF NOT EXISTS doc_collections (name TEXT PRIMARY KEY, keys_version INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS doc_outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  topic TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS doc_raises (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT;
`;

/** SQL for the table of a collection, without its keys: the next start adds them, and computes keys and checksums. */
export function documentTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS ${tableOf({ name })} (
  inserted INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  body TEXT NOT NULL,
  checksum TEXT NOT NULL DEFAULT ''
);
`;
}

interface StoredKeys {
  readonly keys_version: number;
}
interface StoredBody {
  readonly inserted: number;
  readonly id: string;
  readonly version: number;
  readonly body: string;
}

/**
 * Makes what is missing: tables, columns and indexes of the collections, in one transaction.
 * @throws where a collection was written by a newer release, or stored documents share a key that has become unique
 */
export function prepareCollections(database: SqliteDatabase, collections: readonly Collection<object>[]): void {
  database
    .transaction(() => {
      database.exec(DOCUMENT_TABLES);
      for (const collection of collections) prepare(database, collection);
    })
    .immediate();
}

function prepare(database: SqliteDatabase, collection: Collection<object>): void {
  const { name, keysVersion } = collection;
  const before = database
    .prepare<[string], StoredKeys>('SELECT keys_version FROM doc_collections WHERE name = ?')
    .get(name);
  if (before?.keys_version === keysVersion) return;
  if (before !== undefined && before.keys_version > keysVersion) {
    throw new Error(`collection ${name} was written by a newer release (keys ${before.keys_version})`);
  }
  database.exec(documentTable(name));
  dropIndexes(database, collection);
  addColumns(database, collection);
  writeKeys(database, collection);
  createIndexes(database, collection);
  database
    .prepare(
      `INSERT INTO doc_collections (name, keys_version) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET keys_version = excluded.keys_version`,
    )
    .run(name, keysVersion);
}

function dropIndexes(database: SqliteDatabase, { name }: Collection<object>): void {
  const indexes = database
    .prepare<[string], { readonly name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    )
    .all(`doc_${name}`);
  for (const index of indexes) database.exec(`DROP INDEX "${index.name}"`);
}

function addColumns(database: SqliteDatabase, collection: Collection<object>): void {
  const there = new Set(
    database
      .prepare<[string], { readonly name: string }>('SELECT name FROM pragma_table_info(?)')
      .all(`doc_${collection.name}`)
      .map(({ name }) => name),
  );
  for (const [key, type] of Object.entries(collection.keys)) {
    if (there.has(`k_${key}`)) continue;
    database.exec(`ALTER TABLE ${tableOf(collection)} ADD COLUMN ${columnDefinition(key, type)}`);
  }
}

/** Also checksums, which a migration of the file leaves to this. */
function writeKeys(database: SqliteDatabase, collection: Collection<object>): void {
  const keys = Object.keys(collection.keys);
  const table = tableOf(collection);
  const read = database.prepare<[number, number], StoredBody>(
    `SELECT inserted, id, version, body FROM ${table} WHERE inserted > ? ORDER BY inserted LIMIT ?`,
  );
  const write = database.prepare(
    `UPDATE ${table} SET ${['checksum', ...keys.map(columnOf)].map((column) => `${column} = ?`).join(', ')}
     WHERE inserted = ?`,
  );
  for (let last = 0; ;) {
    const rows = read.all(last, PAGE);
    for (const { inserted, id, version, body } of rows) {
      const values = collection.keysOf(JSON.parse(body) as object, id);
      write.run(checksumOf(id, version, body), ...keys.map((key) => bound(values[key])), inserted);
      last = inserted;
    }
    if (rows.length < PAGE) return;
  }
}

function createIndexes(database: SqliteDatabase, collection: Collection<object>): void {
  const table = tableOf(collection);
  const { name, indexes, unique = [] } = collection;
  for (const key of unique) {
    database.exec(`CREATE UNIQUE INDEX "doc_${name}_${key}_unique" ON ${table} (${columnOf(key)})`);
  }
  for (const keys of indexes) {
    const columns = keys.map(columnOf).join(', ');
    database.exec(`CREATE INDEX "doc_${name}_${keys.join('_')}" ON ${table} (${columns}, inserted)`);
  }
}
