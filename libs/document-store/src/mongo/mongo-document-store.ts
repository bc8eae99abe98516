import { createConnection } from 'mongoose';
import type { ClientSession, Connection } from 'mongoose';
import { StoreUnreachable } from '../port.js';
import type {
  Collection,
  DocumentStore,
  Keys,
  OutgoingRecord,
  RowId,
  Stored,
  Transaction,
  VersionRaise,
} from '../port.js';
import { mongoOptions } from './connection-options.js';
import type { MongoDocumentOptions } from './document-options.js';
import { Generation, GENERATIONS } from './generation.js';
import { InsertionOrder } from './insertion-order.js';
import { Models, unlessThere } from './models.js';
import type { OutboxRow, RaiseRow } from './models.js';
import { tellingUnreachable } from './mongo-errors.js';
import { MongoReads } from './mongo-reads.js';
import { MongoTransaction } from './mongo-transaction.js';

const PAGE = 500;
/** The driver would repeat a transaction for two minutes; a caller waits for an answer. */
const LONGEST_MS = 10_000;
const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5000 },
  readPreference: 'primary',
} as const;

/** See `openMongoDocumentStore`. */
export async function connectMongoDocumentStore(
  uri: string,
  service: string,
  collections: readonly Collection<object>[],
  { isRebuildable = false, suffix }: MongoDocumentOptions,
): Promise<DocumentStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const isInUse = isRebuildable && suffix === undefined;
    // A transaction may write to it, and must not make it.
    if (isInUse) await connection.createCollection(GENERATIONS).catch(unlessThere);
    const generation = isInUse ? await Generation.open(connection.db!, service) : null;
    const models = new Models(connection, service, collections, generation?.suffix ?? suffix);
    await models.prepare();
    return tellingUnreachable<DocumentStore>(new MongoDocumentStore(connection, models, generation));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoDocumentStore extends MongoReads implements DocumentStore {
  readonly #order = new InsertionOrder();

  constructor(
    private readonly connection: Connection,
    models: Models,
    /** `null`: no rebuild can replace the collections. */
    private readonly generation: Generation | null,
  ) {
    super(models);
  }

  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const until = performance.now() + LONGEST_MS;
    let attempts = 0;
    const attempt = async (session: ClientSession): Promise<T> => {
      attempts += 1;
      if (attempts > 1 && performance.now() > until) {
        throw new StoreUnreachable(`a transaction was repeated ${attempts - 1} times and did not commit`);
      }
      await this.generation?.require(session);
      return work(new MongoTransaction(this.models, session, this.#order));
    };
    return this.connection.transaction(attempt, TRANSACTION);
  }

  async *all<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>> {
    for (let after = ''; ;) {
      const page = await this.page(collection, after, PAGE);
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }

  async pending(limit: number): Promise<readonly { readonly id: RowId; readonly record: OutgoingRecord }[]> {
    const rows = await this.models.outbox.find().sort({ lane: 1, place: 1 }).limit(limit).lean<OutboxRow[]>();
    return rows.map(({ _id, topic, key, value }) => ({
      id: _id,
      record: { topic: topic as OutgoingRecord['topic'], key, value },
    }));
  }

  async sent(ids: readonly RowId[]): Promise<void> {
    await this.models.outbox.deleteMany({ _id: { $in: ids.map(String) } });
  }

  async unannounced(limit: number): Promise<readonly (VersionRaise & { readonly row: RowId })[]> {
    const rows = await this.models.raises.find().sort({ _id: 1 }).limit(limit).lean<RaiseRow[]>();
    return rows.map(({ _id, kind, id, version }) => ({ row: _id, kind, id, version }));
  }

  async announced(rows: readonly RowId[]): Promise<void> {
    await this.models.raises.deleteMany({ _id: { $in: rows.map(String) } });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
