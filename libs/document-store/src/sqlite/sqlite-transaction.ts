import { checksumOf } from '../checksum.js';
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
    const columns = ['id', ...columnsOf(collection)];
    return this.#unlessTaken(
      collection,
      `INSERT INTO ${tableOf(collection)} (${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length - 1)})
       ON CONFLICT (id) DO NOTHING`,
      [document.id, ...valuesOf(collection, document)],
    );
  }

  #replace<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    document: Stored<B>,
    stored = document.version - 1,
  ): number {
    return this.#unlessTaken(
      collection,
      `UPDATE ${tableOf(collection)} SET ${columnsOf(collection)
        .map((column) => `${column} = ?`)
        .join(', ')}
       WHERE id = ? AND version = ?`,
      [...valuesOf(collection, document), document.id, stored],
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

/** All but the id and the place of insertion. */
function columnsOf({ keys }: Pick<Collection<object>, 'keys'>): string[] {
  return ['version', 'body', 'checksum', ...Object.keys(keys).map(columnOf)];
}

function valuesOf<B extends object, K extends Keys>(
  collection: Collection<B, K>,
  { id, version, body }: Stored<B>,
): Bound[] {
  const values = collection.keysOf(body, id);
  const text = JSON.stringify(body);
  return [
    version,
    text,
    checksumOf(id, version, text),
    ...Object.keys(collection.keys).map((key) => bound(values[key])),
  ];
}
