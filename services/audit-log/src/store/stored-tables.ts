import type { StoredTables } from '@countersign/document-store';

/** The store in MongoDB as rows of the tables of the store in SQLite, to be checked: reads only. */
export async function readStoredTables(uri: string): Promise<StoredTables> {
  const { openStoredTables } = await import('./mongo-tables.js');
  return openStoredTables(uri);
}
