import type { ClientSession } from 'mongoose';
import { requireSealed } from '../checksum.js';
import type { Collection, Keys, Query, Reads, Stored, Where } from '../port.js';
import { filterOf, sortOf } from './filters.js';
import type { DocumentRow, Models } from './models.js';

type Row = Pick<DocumentRow, '_id' | 'version' | 'body' | 'checksum'>;

const FIELDS = { version: 1, body: 1, checksum: 1 } as const;

/** Reads of committed documents, or of the snapshot of a session. */
export class MongoReads implements Reads {
  constructor(
    protected readonly models: Models,
    protected readonly session: ClientSession | null = null,
  ) {}

  async get<B extends object, K extends Keys>(collection: Collection<B, K>, id: string): Promise<Stored<B> | null> {
    const row = await this.models.of(collection).findById(id, FIELDS).session(this.session).lean<Row>();
    return row === null ? null : this.#stored(collection, row);
  }

  async getMany<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Stored<B>>> {
    if (ids.length === 0) return new Map();
    const query = this.models.of(collection).find({ _id: { $in: [...ids] } }, FIELDS);
    const rows = await query.session(this.session).lean<Row[]>();
    return new Map(rows.map((row) => [row._id, this.#stored(collection, row)]));
  }

  async find<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    query: Query<K>,
  ): Promise<readonly Stored<B>[]> {
    if (query.limit === 0) return [];
    const rows = await this.models
      .of(collection)
      .find(filterOf(query.where), FIELDS)
      .sort(sortOf(query))
      .skip(query.offset ?? 0)
      .limit(query.limit)
      .session(this.session)
      .lean<Row[]>();
    return rows.map((row) => this.#stored(collection, row));
  }

  async count<B extends object, K extends Keys>(collection: Collection<B, K>, where?: Where<K>): Promise<number> {
    return this.models.of(collection).countDocuments(filterOf(where)).session(this.session);
  }

  /** A page in the order of ids. */
  async page<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    after: string,
    limit: number,
  ): Promise<readonly Stored<B>[]> {
    const query = this.models.of(collection).find(filterOf({}, after), FIELDS).sort({ _id: 1 }).limit(limit);
    return (await query.lean<Row[]>()).map((row) => this.#stored(collection, row));
  }

  #stored<B extends object, K extends Keys>(collection: Collection<B, K>, row: Row): Stored<B> {
    const { _id: id, version, body, checksum } = row;
    const place = `MongoDB collection ${this.models.of(collection).collection.name}`;
    requireSealed(place, collection, { id, version, body, checksum });
    return { id, version, body: JSON.parse(body) as B };
  }
}
