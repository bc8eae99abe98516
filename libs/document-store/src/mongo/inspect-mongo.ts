import { createConnection } from 'mongoose';
import type { Connection, Model } from 'mongoose';
import { bodyOf, OtherLayout, problemOf } from '../inspect.js';
import type { DocumentInspection, Problem } from '../inspect.js';
import type { Collection, Keys, OutgoingRecord, RowId, Stored, VersionRaise } from '../port.js';
import { readingOptions } from './connection-options.js';
import { suffixInUse } from './generation.js';
import { Models } from './models.js';
import type { DocumentRow } from './models.js';

/** See `inspectMongoDocuments`. */
export async function connectMongoInspection(
  uri: string,
  service: string,
  collections: readonly Collection<object>[],
): Promise<DocumentInspection> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  try {
    const models = new Models(connection, service, collections, await suffixInUse(connection.db!, service));
    const versions = await models.keysVersions();
    const isNew = versions.size === 0 && (await hasNothing(connection, service));
    for (const { name, keysVersion } of collections) {
      if (!isNew && versions.get(name) !== keysVersion)
        throw new OtherLayout(`collection ${name} is not of this release`);
    }
    return new MongoInspection(connection, models, collections);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The service was never started on the database. */
async function hasNothing(connection: Connection, service: string): Promise<boolean> {
  const filter = { name: { $regex: `^${service}_` } };
  return (await connection.db!.listCollections(filter, { nameOnly: true }).toArray()).length === 0;
}

class MongoInspection implements DocumentInspection {
  constructor(
    private readonly connection: Connection,
    private readonly models: Models,
    private readonly collections: readonly Collection<object>[],
  ) {}

  async *documents<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>> {
    for await (const { _id: id, version, body } of this.#rows(collection)) {
      const value = bodyOf<B>(body);
      if (value !== null) yield { id, version, body: value };
    }
  }

  async *outbox(): AsyncIterable<{ readonly id: RowId; readonly record: OutgoingRecord }> {
    for await (const { _id: id, topic, key, value } of this.models.outbox.find().sort({ lane: 1, place: 1 }).lean()) {
      yield { id, record: { topic: topic as OutgoingRecord['topic'], key, value } };
    }
  }

  async *raises(): AsyncIterable<VersionRaise & { readonly row: RowId }> {
    for await (const { _id: row, kind, id, version } of this.models.raises.find().sort({ _id: 1 }).lean()) {
      yield { row, kind, id, version };
    }
  }

  async *problems(): AsyncIterable<Problem> {
    for (const collection of this.collections) {
      for await (const row of this.#rows(collection)) {
        const problem = problemOf(collection, { ...row, id: row._id });
        if (problem !== null) yield { place: `${collection.name} ${row._id}`, problem };
      }
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  #rows(collection: Pick<Collection<object>, 'name'>): AsyncIterable<DocumentRow> {
    const model: Model<DocumentRow> = this.models.of(collection);
    return model.find().sort({ _id: 1 }).lean<DocumentRow[]>().cursor();
  }
}
