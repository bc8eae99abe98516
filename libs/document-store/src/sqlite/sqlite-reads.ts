import type Database from 'better-sqlite3';
import { requireSealed } from '../checksum.js';
import type { Collection, Keys, Query, Reads, Stored, Where } from '../port.js';
import type { SqliteDatabase } from './open-database.js';
import { orderClause, tableOf, whereClause } from './sql.js';
import type { Bound } from './sql.js';

interface Row {
  readonly id: string;
  readonly version: number;
  readonly body: string;
  readonly checksum: string;
}

const ROW = 'id, version, body, checksum';

/** Reads over one connection; each statement is prepared once. */
export class SqliteReads implements Reads {
  readonly #statements = new Map<string, Database.Statement<Bound[], unknown>>();

  constructor(protected readonly database: SqliteDatabase) {}

  async get<B extends object, K extends Keys>(collection: Collection<B, K>, id: string): Promise<Stored<B> | null> {
    const row = this.statement<Row>(`SELECT ${ROW} FROM ${tableOf(collection)} WHERE id = ?`).get(id);
    return row === undefined ? null : this.#stored(collection, row);
  }

  async getMany<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Stored<B>>> {
    if (ids.length === 0) return new Map();
    const sql = `SELECT ${ROW} FROM ${tableOf(collection)} WHERE id IN (SELECT value FROM json_each(?))`;
    const rows = this.statement<Row>(sql).all(JSON.stringify(ids));
    return new Map(rows.map((row) => [row.id, this.#stored(collection, row)]));
  }

  async find<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    query: Query<K>,
  ): Promise<readonly Stored<B>[]> {
    const { sql, values } = whereClause(query.where);
    const order = orderClause(query);
    const rows = this.statement<Row>(`SELECT ${ROW} FROM ${tableOf(collection)}${sql}${order} LIMIT ? OFFSET ?`).all(
      ...values,
      query.limit,
      query.offset ?? 0,
    );
    return rows.map((row) => this.#stored(collection, row));
  }

  async count<B extends object, K extends Keys>(collection: Collection<B, K>, where?: Where<K>): Promise<number> {
    const { sql, values } = whereClause(where);
    const found = this.statement<{ readonly n: number }>(`SELECT count(*) AS n FROM ${tableOf(collection)}${sql}`);
    return found.get(...values)!.n;
  }

  /** A page in the order of ids. */
  page<B extends object, K extends Keys>(collection: Collection<B, K>, after: string, limit: number): Stored<B>[] {
    const sql = `SELECT ${ROW} FROM ${tableOf(collection)} WHERE id > ? ORDER BY id LIMIT ?`;
    return this.statement<Row>(sql)
      .all(after, limit)
      .map((row) => this.#stored(collection, row));
  }

  #stored<B extends object, K extends Keys>(collection: Collection<B, K>, row: Row): Stored<B> {
    requireSealed(this.database.name, collection, row);
    const { id, version, body } = row;
    return { id, version, body: JSON.parse(body) as B };
  }

  protected statement<R>(sql: string): Database.Statement<Bound[], R> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare<Bound[], unknown>(sql);
      this.#statements.set(sql, statement);
    }
    return statement as Database.Statement<Bound[], R>;
  }
}
