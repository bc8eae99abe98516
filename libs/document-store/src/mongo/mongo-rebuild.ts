import { createConnection } from 'mongoose';
import type { Collection } from '../port.js';
import { readingOptions } from './connection-options.js';
import { suffixInUse } from './generation.js';
import { documentCollections } from './models.js';
import { GenerationRebuild } from './rebuild-generation.js';

/** A rebuild of a service's documents. */
export interface MongoRebuild {
  readonly generation: GenerationRebuild;
  /** Records and raises that wait to be published in the store in use. */
  unpublished(): Promise<number>;
  close(): Promise<void>;
}

/** See `openMongoRebuild`. */
export async function connectMongoRebuild(
  uri: string,
  service: string,
  collections: readonly Collection<object>[],
): Promise<MongoRebuild> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const db = connection.db!;
  return {
    generation: new GenerationRebuild(db, service, documentCollections(service, collections)),
    async unpublished() {
      const suffix = await suffixInUse(db, service);
      const [records, raises] = documentCollections(service, []).map((name) => db.collection(name + suffix));
      return (await records!.countDocuments()) + (await raises!.countDocuments());
    },
    close: () => connection.close(),
  };
}
