import type { DocumentInspection } from '../inspect.js';
import type { Collection, DocumentStore } from '../port.js';
import type { MongoDocumentOptions } from './document-options.js';
import type { MongoRebuild } from './mongo-rebuild.js';
import type { OlderLayout } from './take-over.js';

/**
 * Documents of a service in MongoDB (a replica set, or one node that is one). The driver is loaded by this call alone.
 * @param service begins the names of its collections
 * @throws when no server answers
 */
export async function openMongoDocumentStore(
  uri: string,
  service: string,
  collections: readonly Collection<object>[],
  options: MongoDocumentOptions = {},
): Promise<DocumentStore> {
  const { connectMongoDocumentStore } = await import('./mongo-document-store.js');
  return connectMongoDocumentStore(uri, service, collections, options);
}

/**
 * Opens the documents of a service in MongoDB for reading; the service may run. Where it never ran there are none.
 * @throws OtherLayout
 * @throws when no server answers
 */
export async function inspectMongoDocuments(
  uri: string,
  service: string,
  collections: readonly Collection<object>[],
): Promise<DocumentInspection> {
  const { connectMongoInspection } = await import('./inspect-mongo.js');
  return connectMongoInspection(uri, service, collections);
}

/**
 * Opens the documents of a service in MongoDB for a rebuild: see `GenerationRebuild`.
 * @throws when no server answers
 */
export async function openMongoRebuild(
  uri: string,
  service: string,
  collections: readonly Collection<object>[],
): Promise<MongoRebuild> {
  const { connectMongoRebuild } = await import('./mongo-rebuild.js');
  return connectMongoRebuild(uri, service, collections);
}

/**
 * Opens a service's store in MongoDB: its documents, with those of an older layout taken over.
 * @param suffix of collections that a rebuild fills: nothing is taken over; absent: those in use are opened
 * @throws when no server answers
 */
export async function openMongoStore<Store>(
  uri: string,
  {
    service,
    collections,
    layout,
    ...options
  }: {
    /** Begins the names of the collections. */
    readonly service: string;
    readonly collections: readonly Collection<object>[];
    readonly layout: OlderLayout;
  } & MongoDocumentOptions,
  storeOf: (documents: DocumentStore) => Store,
): Promise<Store> {
  const documents = await openMongoDocumentStore(uri, service, collections, options);
  try {
    if (options.suffix === undefined) {
      const { takeOverMongo } = await import('./take-over.js');
      await takeOverMongo(uri, documents, layout);
    }
    return storeOf(documents);
  } catch (error) {
    await documents.close();
    throw error;
  }
}
