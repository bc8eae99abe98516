import type { ClientSession, Model, mongo } from 'mongoose';
import { Conflict, UniqueTaken } from '../port.js';
import type { Collection, Keys, OutgoingRecord, Stored, Transaction, VersionRaise, Where } from '../port.js';
import { filterOf, keysDocument } from './filters.js';
import type { InsertionOrder } from './insertion-order.js';
import type { DocumentRow, Models } from './models.js';
import { MongoReads } from './mongo-reads.js';

/** One attempt of a transaction, on its session. */
export class MongoTransaction extends MongoReads implements Transaction {
  /** The last place that this attempt took in each lane. */
  readonly #places = new Map<string, number>();

  constructor(
    models: Models,
    protected override readonly session: ClientSession,
    private readonly order: InsertionOrder,
  ) {
    super(models, session);
  }

  async put<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Stored<B>[],
  ): Promise<void> {
    const writes = documents.map(({ id, version, body }) => {
      const fields = { version, body: JSON.stringify(body), keys: keysDocument(collection, body, id) };
      if (version === 1) return { insertOne: { document: { _id: id, inserted: this.order.next(), ...fields } } };
      return { updateOne: { filter: { _id: id, version: version - 1 }, update: { $set: fields } } };
    });
    const { insertedCount, matchedCount } = await this.#bulk(collection, writes);
    if (insertedCount + matchedCount < documents.length) {
      throw new Conflict(`a document of ${collection.name} is at another version`);
    }
  }

  async set<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<void> {
    const writes = documents.map(({ id, body }) => ({
      updateOne: {
        filter: { _id: id },
        update: {
          $set: { body: JSON.stringify(body), keys: keysDocument(collection, body, id) },
          $inc: { version: 1 },
          $setOnInsert: { inserted: this.order.next() },
        },
        upsert: true,
      },
    }));
    await this.#bulk(collection, writes);
  }

  async remove<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Pick<Stored<B>, 'id' | 'version'>[],
  ): Promise<void> {
    const writes = documents.map(({ id, version }) => ({ deleteOne: { filter: { _id: id, version } } }));
    const { deletedCount } = await this.#bulk(collection, writes);
    if (deletedCount < documents.length) throw new Conflict(`a document of ${collection.name} is at another version`);
  }

  async removeWhere<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    where: Where<K>,
    limit: number,
  ): Promise<number> {
    if (limit === 0) return 0;
    const model = this.models.of(collection);
    const query = model.find(filterOf(where), { _id: 1 }).sort({ inserted: 1 }).limit(limit);
    const rows = await query.session(this.session).lean<{ readonly _id: string }[]>();
    if (rows.length === 0) return 0;
    const ids = rows.map(({ _id }) => _id);
    return (await model.deleteMany({ _id: { $in: ids } }, { session: this.session })).deletedCount;
  }

  async expect<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    id: string,
    version: number,
  ): Promise<void> {
    const expected = { $inc: { expected: 1 } };
    const { matchedCount } = await this.models
      .of(collection)
      .updateOne({ _id: id, version }, expected, { session: this.session });
    if (matchedCount === 0) throw new Conflict(`${collection.name} ${id} is not at version ${version}`);
  }

  /**
   * Transactions that publish to one lane write one document, so this one sees every row that is before its own in the
   * lane and not yet sent: a place above all of them is behind all of them.
   */
  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    if (records.length === 0) return;
    const laneOf = ({ topic, key }: OutgoingRecord): string => `${topic}/${key}`;
    const unknown = [...new Set(records.map(laneOf))].filter((lane) => !this.#places.has(lane));
    if (unknown.length > 0) {
      const rows = await this.models.outbox
        .find({ lane: { $in: unknown } }, { lane: 1, place: 1 })
        .session(this.session)
        .lean<{ readonly lane: string; readonly place: number }[]>();
      for (const { lane, place } of rows) this.#places.set(lane, Math.max(place, this.#places.get(lane) ?? 0));
    }
    const rows = records.map((record) => {
      const lane = laneOf(record);
      const place = (this.#places.get(lane) ?? 0) + 1;
      this.#places.set(lane, place);
      return { _id: this.order.next(), lane, place, ...record };
    });
    await this.models.outbox.insertMany(rows, { session: this.session });
  }

  async raise(raises: readonly VersionRaise[]): Promise<void> {
    if (raises.length === 0) return;
    const rows = raises.map(({ kind, id, version }) => ({ _id: this.order.next(), kind, id, version }));
    await this.models.raises.insertMany(rows, { session: this.session });
  }

  async #bulk(
    collection: Pick<Collection<object>, 'name' | 'unique'>,
    writes: readonly object[],
  ): Promise<Pick<mongo.BulkWriteResult, 'insertedCount' | 'matchedCount' | 'deletedCount'>> {
    if (writes.length === 0) return { insertedCount: 0, matchedCount: 0, deletedCount: 0 };
    const model: Model<DocumentRow> = this.models.of(collection);
    try {
      return await model.bulkWrite(writes as never, { session: this.session });
    } catch (error) {
      throw duplicateOf(collection, error) ?? error;
    }
  }
}

const DUPLICATE_KEY = 11000;

/** What a duplicate key means, or `null` for another error. The server says which index, in words or by its keys. */
function duplicateOf(
  { name, unique = [] }: Pick<Collection<object>, 'name' | 'unique'>,
  error: unknown,
): Conflict | UniqueTaken | null {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code !== DUPLICATE_KEY) return null;
  const taken = unique.find(
    (key) => String(message).includes(`unique_${key}`) || String(message).includes(`keys.${key}`),
  );
  return taken === undefined ? new Conflict(`a document of ${name} exists already`) : new UniqueTaken(name, taken);
}
