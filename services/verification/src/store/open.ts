import { openMongoRebuild, openMongoStore, openSqliteDocumentStore } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import { COLLECTIONS } from './documents.js';
import { FactDocuments } from './fact-documents.js';
import { FACT_LAYOUT } from './mongo-older.js';
import type { PublicFacts } from './port.js';
import { MIGRATIONS } from './sqlite-migrations.js';

/** Begins the names of the collections of verification. */
export const SERVICE = 'verification';

/** Opens (or creates) a file. @throws StoreDamaged naming the file */
export async function openSqlitePublicFacts(file: string): Promise<PublicFacts> {
  return new FactDocuments(openSqliteDocumentStore(file, COLLECTIONS, MIGRATIONS));
}

/**
 * @param suffix of collections that a rebuild fills; absent: those in use are opened
 * @throws when no server answers
 */
export async function openMongoPublicFacts(uri: string, suffix?: string): Promise<PublicFacts> {
  const of = { service: SERVICE, collections: COLLECTIONS, layout: FACT_LAYOUT, isRebuildable: true, suffix };
  return openMongoStore(uri, of, (documents) => new FactDocuments(documents));
}

/** Opens the store in MongoDB to be rebuilt. Every fact is in a topic: nothing is taken over. @throws when no server answers */
export async function openStoreRebuild(uri: string): Promise<StoreRebuild> {
  const rebuild = await openMongoRebuild(uri, SERVICE, COLLECTIONS);
  return {
    group: SERVICE,
    generation: rebuild.generation,
    inUse: async () => null,
    takeOver: async () => [],
    close: () => rebuild.close(),
  };
}
