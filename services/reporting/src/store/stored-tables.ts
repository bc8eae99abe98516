import type { StoredTables } from '@countersign/service-kit';
import type { StoredPackages } from './mongo-tables.js';

/** The store in MongoDB as rows of the tables of the store in SQLite, to be checked: reads only. */
export async function readStoredTables(uri: string): Promise<StoredTables> {
  const { openStoredTables } = await import('./mongo-tables.js');
  return openStoredTables(uri);
}

/** The packages in GridFS: reads only. */
export async function readStoredPackages(uri: string): Promise<StoredPackages> {
  const { openStoredPackages } = await import('./mongo-tables.js');
  return openStoredPackages(uri);
}
