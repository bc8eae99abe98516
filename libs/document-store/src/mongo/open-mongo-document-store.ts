import type { Collection, DocumentStore } from '../port.js';

/**
 * Documents of a service in MongoDB (a replica set, or one node that is one). The driver is loaded by this call alone.
 * @param service begins the names of its collections
 * @throws when no server answers
 */
export async function openMongoDocumentStore(
  uri: string,
  service: string,
  collections: readonly Collection<object>[],
): Promise<DocumentStore> {
  const { connectMongoDocumentStore } = await import('./mongo-document-store.js');
  return connectMongoDocumentStore(uri, service, collections);
}
