import { openMongoStore, openSqliteDocumentStore } from '@countersign/document-store';
import { AlertDocuments } from './alert-documents.js';
import { COLLECTIONS } from './documents.js';
import { THREAD_LAYOUT } from './mongo-older.js';
import type { AlertStore } from './port.js';
import { MIGRATIONS } from './sqlite-migrations.js';

/** Prefix of the names of the collections of alerts. */
export const SERVICE = 'alerts';

/**
 * Opens (or creates) a file for one process: existing claims are those of a process that has ended.
 * @throws StoreDamaged naming the file
 */
export async function openSqliteAlertStore(file: string): Promise<AlertStore> {
  const store = new AlertDocuments(openSqliteDocumentStore(file, COLLECTIONS, MIGRATIONS));
  await store.releaseClaims();
  return store;
}

/** @throws if no server answers */
export async function openMongoAlertStore(uri: string): Promise<AlertStore> {
  const of = { service: SERVICE, collections: COLLECTIONS, layout: THREAD_LAYOUT };
  return openMongoStore(uri, of, (documents) => new AlertDocuments(documents));
}
