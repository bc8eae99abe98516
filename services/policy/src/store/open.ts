import { openMongoRebuild, openMongoStore, openSqliteDocumentStore } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import { GROUP } from '../follow/check-follower.js';
import { COLLECTIONS } from './documents.js';
import { OFFSET_LAYOUT } from './mongo-older.js';
import { PolicyDocuments } from './policy-documents.js';
import type { PolicyStore } from './port.js';
import { requireSoundFile } from './sqlite.js';
import { MIGRATIONS } from './sqlite-migrations.js';

/** Begins the names of policy's collections. */
export const SERVICE = 'policy';

/** Opens (or creates) `file`. @throws StoreDamaged naming it */
export async function openSqlitePolicyStore(file: string): Promise<PolicyStore> {
  requireSoundFile(file);
  return new PolicyDocuments(openSqliteDocumentStore(file, COLLECTIONS, MIGRATIONS));
}

/**
 * @param suffix of collections that a rebuild fills; absent: those in use are opened
 * @throws when no server answers
 */
export async function openMongoPolicyStore(uri: string, suffix?: string): Promise<PolicyStore> {
  const of = { service: SERVICE, collections: COLLECTIONS, layout: OFFSET_LAYOUT, isRebuildable: true, suffix };
  return openMongoStore(uri, of, (documents) => new PolicyDocuments(documents));
}

/**
 * Opens the store in MongoDB to be rebuilt. Agents are in their topic, totals follow from the log: nothing is taken over.
 * @throws when no server answers
 */
export async function openStoreRebuild(uri: string): Promise<StoreRebuild> {
  const rebuild = await openMongoRebuild(uri, SERVICE, COLLECTIONS);
  return {
    group: GROUP,
    generation: rebuild.generation,
    inUse: async () => null,
    unpublished: () => rebuild.unpublished(),
    takeOver: async () => [],
    close: () => rebuild.close(),
  };
}
