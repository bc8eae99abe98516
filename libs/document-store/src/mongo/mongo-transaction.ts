import type { ClientSession, Model, mongo } from 'mongoose';
import { checksumOf } from '../checksum.js';
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
    try {
      await this.#write(collection, documents);
    } catch (error) {
      throw duplicateOf(collection, error) ?? error;
    }
  }

  async set<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<void> {
    const versions = await this.#versions(collection, documents);
    const next = documents.map(({ id, body }): Stored<B> => {
      const version = (versions.get(id) ?? 0) + 1;
      versions.set(id, version);
      return { id, version, body };
    });
    await this.#repeatedly(collection, this.#write(collection, next));
  }

  async add<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<ReadonlySet<string>> {
    const versions = await this.#versions(collection, documents);
    const absent = new Map<string, Stored<B>>();
    for (const { id, body } of documents) {
      if (!versions.has(id) && !absent.has(id)) absent.set(id, { id, version: 1, body });
    }
    await this.#repeatedly(collection, this.#write(collection, [...absent.values()]));
    return new Set(absent.keys());
  }

  async restore<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Stored<B>[],
  ): Promise<void> {
    const writes = documents.map((document) => ({
      updateOne: {
        filter: { _id: document.id },
        update: { $set: fieldsOf(collection, document), $setOnInsert: { inserted: this.order.next() } },
        upsert: true,
      },
    }));
    await this.#repeatedly(collection, this.#bulk(collection, writes));
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
    return this.#removeFound(collection, filterOf(where), { inserted: 1 }, limit);
  }

  async removeRange<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    from: string,
    below: string,
    limit: number,
  ): Promise<number> {
    if (limit === 0) return 0;
    return this.#removeFound(collection, { _id: { $gte: from, $lt: below } }, { _id: 1 }, limit);
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

  async #removeFound(
    collection: Pick<Collection<object>, 'name'>,
    filter: object,
    sort: Readonly<Record<string, 1>>,
    limit: number,
  ): Promise<number> {
    const model = this.models.of(collection);
    const query = model.find(filter, { _id: 1 }).sort(sort).limit(limit);
    const rows = await query.session(this.session).lean<{ readonly _id: string }[]>();
    if (rows.length === 0) return 0;
    const ids = rows.map(({ _id }) => _id);
    return (await model.deleteMany({ _id: { $in: ids } }, { session: this.session })).deletedCount;
  }

  async #versions(
    collection: Pick<Collection<object>, 'name'>,
    documents: readonly { readonly id: string }[],
  ): Promise<Map<string, number>> {
    const among = { _id: { $in: documents.map(({ id }) => id) } };
    const query = this.models.of(collection).find(among, { version: 1 });
    const rows = await query.session(this.session).lean<Pick<DocumentRow, '_id' | 'version'>[]>();
    return new Map(rows.map(({ _id, version }) => [_id, version]));
  }

  async #write<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Stored<B>[],
  ): Promise<void> {
    const writes = documents.map((document) => {
      const { id, version } = document;
      const fields = fieldsOf(collection, document);
      if (version === 1) return { insertOne: { document: { _id: id, inserted: this.order.next(), ...fields } } };
      return { updateOne: { filter: { _id: id, version: version - 1 }, update: { $set: fields } } };
    });
    const { insertedCount, matchedCount } = await this.#bulk(collection, writes);
    if (insertedCount + matchedCount < documents.length) {
      throw new Conflict(`a document of ${collection.name} is at another version`);
    }
  }

  /** Another transaction has inserted the same document: where the version does not matter, this one is repeated. */
  async #repeatedly(collection: Pick<Collection<object>, 'name' | 'unique'>, write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      const duplicate = duplicateOf(collection, error);
      if (duplicate instanceof UniqueTaken) throw duplicate;
      if (duplicate !== null) (error as mongo.MongoError).addErrorLabel('TransientTransactionError');
      throw error;
    }
  }

  async #bulk(
    collection: Pick<Collection<object>, 'name'>,
    writes: readonly object[],
  ): Promise<Pick<mongo.BulkWriteResult, 'insertedCount' | 'matchedCount' | 'deletedCount'>> {
    if (writes.length === 0) return { insertedCount: 0, matchedCount: 0, deletedCount: 0 };
    const model: Model<DocumentRow> = this.models.of(collection);
    return model.bulkWrite(writes as never, { session: this.session });
  }
}

function fieldsOf<B extends object, K extends Keys>(
  collection: Collection<B, K>,
  { id, version, body }: Stored<B>,
): Pick<DocumentRow, 'version' | 'body' | 'checksum' | 'keys'> {
  const text = JSON.stringify(body);
  const checksum = checksumOf(id, version, text);
  return { version, body: text, checksum, keys: keysDocument(collection, body, id) };
}

const DUPLICATE_KEY = 11000;

/** The error of the port for a duplicate key, or `null` for another error. The server names the index or its keys. */
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
