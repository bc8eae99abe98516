import { Schema } from 'mongoose';
import type { Connection, Model } from 'mongoose';
import type { Collection, KeyValue } from '../port.js';
import { filterOf, keysDocument } from './filters.js';
import { isDuplicateKey } from './mongo-errors.js';

const NAMESPACE_EXISTS = 48;
const PAGE = 500;

export interface DocumentRow {
  readonly _id: string;
  readonly version: number;
  /** Sorts by insertion. */
  readonly inserted: string;
  /** JSON: BSON would change numbers and refuse some names. */
  readonly body: string;
  readonly checksum: string;
  readonly keys: Readonly<Record<string, KeyValue>>;
  /** Counts transactions that expected the document without writing it. */
  readonly expected?: number;
}
export interface OutboxRow {
  readonly _id: string;
  /** Topic and key: rows of one lane keep their order. */
  readonly lane: string;
  readonly place: number;
  readonly topic: string;
  readonly key: string;
  readonly value: string;
}
export interface RaiseRow {
  readonly _id: string;
  readonly kind: string;
  readonly id: string;
  readonly version: number;
}
interface CollectionRow {
  readonly _id: string;
  readonly keysVersion: number;
}

const OPTIONS = { versionKey: false, autoCreate: false, autoIndex: false, strict: 'throw', minimize: false } as const;
const required = <T>(type: T) => ({ type, required: true }) as const;

const OUTBOX = new Schema<OutboxRow>(
  {
    ...{ _id: required(String), lane: required(String), place: required(Number) },
    ...{ topic: required(String), key: required(String), value: required(String) },
  },
  OPTIONS,
).index({ lane: 1, place: 1 });
const RAISES = new Schema<RaiseRow>(
  { _id: required(String), kind: required(String), id: required(String), version: required(Number) },
  { ...OPTIONS, id: false },
);
/** Collections that every service has in addition to those that it names. */
const OWN = ['outbox', 'raises', 'collections'] as const;
const COLLECTIONS = new Schema<CollectionRow>({ _id: required(String), keysVersion: required(Number) }, OPTIONS);

/** Names of all collections that hold a service's documents, without the suffix of a generation. */
export function documentCollections(service: string, specs: readonly Pick<Collection<object>, 'name'>[]): string[] {
  return [...specs.map(({ name }) => name), ...OWN].map((name) => `${service}_doc_${name}`);
}

/** The models of a service's documents. Their collections exist: a transaction makes none. */
export class Models {
  readonly outbox: Model<OutboxRow>;
  readonly raises: Model<RaiseRow>;
  readonly #collections: Model<CollectionRow>;
  readonly #documents: ReadonlyMap<string, Model<DocumentRow>>;

  /**
   * @param service begins the names of all collections
   * @param suffix ends them
   */
  constructor(
    connection: Connection,
    service: string,
    private readonly specs: readonly Collection<object>[],
    suffix = '',
  ) {
    const model = <T>(name: string, schema: Schema<T>): Model<T> => {
      const collection = `${service}_doc_${name}${suffix}`;
      return connection.model<T>(collection, schema, collection);
    };
    this.outbox = model('outbox', OUTBOX);
    this.raises = model('raises', RAISES);
    this.#collections = model('collections', COLLECTIONS);
    this.#documents = new Map(specs.map((spec) => [spec.name, model(spec.name, documentSchema(spec))]));
  }

  of({ name }: Pick<Collection<object>, 'name'>): Model<DocumentRow> {
    const model = this.#documents.get(name);
    if (model === undefined) throw new Error(`collection ${name} was not named when the store was opened`);
    return model;
  }

  /**
   * Makes what is missing, at the start. Several instances may do so at once.
   * @throws where a collection was written by a newer release, or stored documents share a key that has become unique
   */
  async prepare(): Promise<void> {
    const all: Model<never>[] = [this.outbox, this.raises, this.#collections, ...this.#documents.values()] as never;
    for (const model of all) await model.createCollection().catch(unlessThere);
    await this.outbox.createIndexes();
    for (const spec of this.specs) await this.#prepare(spec);
  }

  /** The version of the keys of each collection. */
  async keysVersions(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#collections.find().lean();
    return new Map(rows.map(({ _id, keysVersion }) => [_id, keysVersion]));
  }

  async #prepare(spec: Collection<object>): Promise<void> {
    const { name, keysVersion } = spec;
    const documents = this.of(spec);
    const before = await this.#collections.findById(name).lean();
    if (before !== null && before.keysVersion > keysVersion) {
      throw new Error(`collection ${name} was written by a newer release (keys ${before.keysVersion})`);
    }
    if (before?.keysVersion !== keysVersion) await this.#writeKeys(spec);
    await documents.syncIndexes();
    if (before?.keysVersion === keysVersion) return;
    await this.#collections
      .updateOne({ _id: name }, { $max: { keysVersion } }, { upsert: true })
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
  }

  /** A document that is written meanwhile has its new keys already. */
  async #writeKeys(spec: Collection<object>): Promise<void> {
    const documents = this.of(spec);
    for (let after = ''; ;) {
      const page = await documents.find(filterOf({}, after)).sort({ _id: 1 }).limit(PAGE).lean();
      const writes = page.map(({ _id, version, body }) => ({
        updateOne: {
          filter: { _id, version },
          update: { $set: { keys: keysDocument(spec, JSON.parse(body) as object, _id) } },
        },
      }));
      if (writes.length > 0) await documents.bulkWrite(writes);
      if (page.length < PAGE) return;
      after = page.at(-1)!._id;
    }
  }
}

function documentSchema({ indexes, unique = [] }: Collection<object>): Schema<DocumentRow> {
  const schema = new Schema<DocumentRow>(
    {
      ...{ _id: required(String), version: required(Number), inserted: required(String), body: required(String) },
      ...{ checksum: required(String), keys: required(Schema.Types.Mixed), expected: Number },
    },
    OPTIONS,
  );
  schema.index({ inserted: 1 });
  for (const key of unique) schema.index({ [`keys.${key}`]: 1 }, { name: `unique_${key}`, unique: true, sparse: true });
  for (const keys of indexes) {
    schema.index(Object.fromEntries([...keys.map((key) => [`keys.${key}`, 1]), ['inserted', 1]]) as never);
  }
  return schema;
}

/** Of making a collection: another instance has made it. */
export function unlessThere(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== NAMESPACE_EXISTS) throw error;
}
