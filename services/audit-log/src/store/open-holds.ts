import { openMongoDocumentStore, openSqliteDocumentStore } from '@countersign/document-store';
import { COLLECTIONS, HoldDocuments } from './hold-documents.js';
import type { HoldStore } from './hold-port.js';

/** Begins the names of the collections of legal holds. */
export const HOLD_SERVICE = 'audit_log';

/**
 * Opens (or creates) a file for one process.
 * @throws StoreDamaged naming the file
 */
export async function openSqliteHoldStore(file: string): Promise<HoldStore> {
  return new HoldDocuments(openSqliteDocumentStore(file, COLLECTIONS));
}

/** @throws if no server answers */
export async function openMongoHoldStore(uri: string): Promise<HoldStore> {
  return new HoldDocuments(await openMongoDocumentStore(uri, HOLD_SERVICE, COLLECTIONS));
}
