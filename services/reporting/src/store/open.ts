import { openMongoStore, openSqliteDocumentStore } from '@countersign/document-store';
import { COLLECTIONS } from './documents.js';
import { REPORT_LAYOUT } from './mongo-older.js';
import type { ReportStore } from './port.js';
import { ReportDocuments } from './report-documents.js';
import { MIGRATIONS } from './sqlite-migrations.js';

/** Prefix of the names of reporting's collections. */
export const SERVICE = 'reporting';

/** Opens (or creates) `file`. @throws StoreDamaged naming it */
export async function openSqliteReportStore(file: string): Promise<ReportStore> {
  return new ReportDocuments(openSqliteDocumentStore(file, COLLECTIONS, MIGRATIONS));
}

/** @throws if no server answers */
export async function openMongoReportStore(uri: string): Promise<ReportStore> {
  const of = { service: SERVICE, collections: COLLECTIONS, layout: REPORT_LAYOUT };
  return openMongoStore(uri, of, (documents) => new ReportDocuments(documents));
}
