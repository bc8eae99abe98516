import { Conflict, UniqueTaken } from '../port.js';
import type { Collection, Keys, OutgoingRecord, Stored, Transaction, VersionRaise, Where } from '../port.js';
import { bound, columnOf, tableOf, whereClause } from './sql.js';
import type { Bound } from './sql.js';
import { SqliteReads } from './sqlite-reads.js';

/** Inside of `BEGIN IMMEDIATE`: no other writer exists meanwhile. */
export class SqliteTransaction extends SqliteReads implements Transaction {
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

  #insert<B extends object, K extends Keys>(collection: Collection<B, K>, { id, body }: Stored<B>): number {
    const keys = Object.keys(collection.keys);
    const columns = ['id', 'version', 'body', ...keys.map(columnOf)];
    return this.#unlessTaken(
      collection,
      `INSERT INTO ${tableOf(collection)} (${columns.join(', ')}) VALUES (?, 1${', ?'.repeat(columns.length - 2)})
       ON CONFLICT (id) DO NOTHING`,
      [id, JSON.stringify(body), ...keyValues(collection, body, id)],
    );
  }

  #replace<B extends object, K extends Keys>(collection: Collection<B, K>, { id, version, body }: Stored<B>): number {
    const columns = ['version', 'body', ...Object.keys(collection.keys).map(columnOf)];
    return this.#unlessTaken(
      collection,
      `UPDATE ${tableOf(collection)} SET ${columns.map((column) => `${column} = ?`).join(', ')}
       WHERE id = ? AND version = ?`,
      [version, JSON.stringify(body), ...keyValues(collection, body, id), id, version - 1],
    );
  }

  /** @throws UniqueTaken */
  #unlessTaken(
    { name, unique = [] }: Pick<Collection<object>, 'name' | 'unique'>,
    sql: string,
    values: Bound[],
  ): number {
    try {
      return this.statement(sql).run(...values).changes;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
      const taken = unique.find((key) => String((error as Error).message).endsWith(`.k_${key}`));
      if (taken === undefined) throw error;
      throw new UniqueTaken(name, taken);
    }
  }
}

function keyValues<B extends object, K extends Keys>(collection: Collection<B, K>, body: B, id: string): Bound[] {
  const values = collection.keysOf(body, id);
  return Object.keys(collection.keys).map((key) => bound(values[key]));
}
