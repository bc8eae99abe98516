import type Database from 'better-sqlite3';
import { checksumOf } from '../checksum.js';
import { Conflict, UniqueTaken } from '../port.js';
import type { Collection, Keys, OutgoingRecord, Stored, Transaction, VersionRaise, Where } from '../port.js';
import { bound, columnOf, tableOf, whereClause } from './sql.js';
import type { Bound } from './sql.js';
import { SqliteReads } from './sqlite-reads.js';

/** Inside of `BEGIN IMMEDIATE`: no other writer exists meanwhile. */
export class SqliteTransaction extends SqliteReads implements Transaction {
  readonly #prepared = new WeakMap<object, Writes>();

  async put<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Stored<B>[],
  ): Promise<void> {
    for (const document of documents) {
      const { id, version } = document;
      const changes = version === 1 ? this.#insert(collection, document) : this.#replace(collection, document);
      if (changes !== 1) throw new Conflict(`${collection.name} ${id} is not at version ${version - 1}`);
    }
  }

  async set<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<void> {
    const version = this.statement<{ readonly version: number }>(
      `SELECT version FROM ${tableOf(collection)} WHERE id = ?`,
    );
    for (const document of documents) {
      const stored = version.get(document.id)?.version ?? 0;
      await this.put(collection, [{ ...document, version: stored + 1 }]);
    }
  }

  async add<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<ReadonlySet<string>> {
    const added = documents.filter((document) => this.#insert(collection, { ...document, version: 1 }) === 1);
    return new Set(added.map(({ id }) => id));
  }

  async restore<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Stored<B>[],
  ): Promise<void> {
    const version = this.statement<{ readonly version: number }>(
      `SELECT version FROM ${tableOf(collection)} WHERE id = ?`,
    );
    for (const document of documents) {
      const stored = version.get(document.id)?.version;
      if (stored === undefined) this.#insert(collection, document);
      else this.#replace(collection, document, stored);
    }
  }

  async remove<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Pick<Stored<B>, 'id' | 'version'>[],
  ): Promise<void> {
    const remove = this.statement(`DELETE FROM ${tableOf(collection)} WHERE id = ? AND version = ?`);
    for (const { id, version } of documents) {
      if (remove.run(id, version).changes !== 1) {
        throw new Conflict(`${collection.name} ${id} is not at version ${version}`);
      }
    }
  }

  async removeWhere<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    where: Where<K>,
    limit: number,
  ): Promise<number> {
    const table = tableOf(collection);
    const { sql, values } = whereClause(where);
    const chosen = `SELECT inserted FROM ${table}${sql} ORDER BY inserted LIMIT ?`;
    return this.statement(`DELETE FROM ${table} WHERE inserted IN (${chosen})`).run(...values, limit).changes;
  }

  async removeRange<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    from: string,
    below: string,
    limit: number,
  ): Promise<number> {
    const table = tableOf(collection);
    const chosen = `SELECT inserted FROM ${table} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`;
    return this.statement(`DELETE FROM ${table} WHERE inserted IN (${chosen})`).run(from, below, limit).changes;
  }

  async expect<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    id: string,
    version: number,
  ): Promise<void> {
    const at = this.statement<{ readonly version: number }>(`SELECT version FROM ${tableOf(collection)} WHERE id = ?`);
    if ((at.get(id)?.version ?? 0) !== version)
      throw new Conflict(`${collection.name} ${id} is not at version ${version}`);
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    const insert = this.statement('INSERT INTO doc_outbox (topic, key, value) VALUES (?, ?, ?)');
    for (const { topic, key, value } of records) insert.run(topic, key, value);
  }

  async raise(raises: readonly VersionRaise[]): Promise<void> {
    const insert = this.statement('INSERT INTO doc_raises (kind, id, version) VALUES (?, ?, ?)');
    for (const { kind, id, version } of raises) insert.run(kind, id, version);
  }

  #insert<B extends object, K extends Keys>(collection: Collection<B, K>, document: Stored<B>): number {
    const writes = this.#writes(collection);
    return unlessTaken(collection, writes.insert, [document.id, ...valuesOf(collection, writes.keys, document)]);
  }

  #replace<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    document: Stored<B>,
    stored = document.version - 1,
  ): number {
    const writes = this.#writes(collection);
    const values = [...valuesOf(collection, writes.keys, document), document.id, stored];
    return unlessTaken(collection, writes.replace, values);
  }

  #writes(collection: Pick<Collection<object>, 'name' | 'keys'>): Writes {
    let writes = this.#prepared.get(collection);
    if (writes === undefined) {
      writes = this.#prepare(collection);
      this.#prepared.set(collection, writes);
    }
    return writes;
  }

  #prepare(collection: Pick<Collection<object>, 'name' | 'keys'>): Writes {
    const table = tableOf(collection);
    const keys = Object.keys(collection.keys);
    const columns = ['version', 'body', 'checksum', ...keys.map(columnOf)];
    return {
      keys,
      insert: this.database.prepare(
        `INSERT INTO ${table} (id, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})
         ON CONFLICT (id) DO NOTHING`,
      ),
      replace: this.database.prepare(
        `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ? AND version = ?`,
      ),
    };
  }
}

/** Statements that write a document of a collection. */
interface Writes {
  readonly keys: readonly string[];
  readonly insert: Database.Statement<Bound[]>;
  readonly replace: Database.Statement<Bound[]>;
}

/** @returns the number of rows written @throws UniqueTaken */
function unlessTaken(
  { name, unique = [] }: Pick<Collection<object>, 'name' | 'unique'>,
  statement: Database.Statement<Bound[]>,
  values: Bound[],
): number {
  try {
    return statement.run(...values).changes;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
    const taken = unique.find((key) => String((error as Error).message).endsWith(`.k_${key}`));
    if (taken === undefined) throw error;
    throw new UniqueTaken(name, taken);
  }
}

/** All but the id and the place of insertion. */
function valuesOf<B extends object, K extends Keys>(
  collection: Collection<B, K>,
  keys: readonly string[],
  { id, version, body }: Stored<B>,
): Bound[] {
  const text = JSON.stringify(body);
  const row: Bound[] = [version, text, checksumOf(id, version, text)];
  if (keys.length === 0) return row;
  const values = collection.keysOf(body, id);
  for (const key of keys) row.push(bound(values[key]));
  return row;
}
