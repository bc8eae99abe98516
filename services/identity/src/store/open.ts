import { openMongoStore, openSqliteDocumentStore } from '@countersign/document-store';
import { COLLECTIONS } from './documents.js';
import { IdentityDocuments } from './identity-documents.js';
import { HEAD_LAYOUT } from './mongo-older.js';
import type { IdentityStore } from './port.js';
import { MIGRATIONS } from './sqlite-migrations.js';

/** Prefix of the names of identity's collections. */
export const SERVICE = 'identity';

/** @throws StoreDamaged naming the file */
export async function openSqliteIdentityStore(file: string): Promise<IdentityStore> {
  return new IdentityDocuments(openSqliteDocumentStore(file, COLLECTIONS, MIGRATIONS));
}

/** @throws if no server answers */
export async function openMongoIdentityStore(uri: string): Promise<IdentityStore> {
  const of = { service: SERVICE, collections: COLLECTIONS, layout: HEAD_LAYOUT };
  return openMongoStore(uri, of, (documents) => new IdentityDocuments(documents));
}
