import type { StoredPackages } from './mongo-packages.js';

/** The packages in GridFS: reads only. The driver is loaded by this call alone. */
export async function readStoredPackages(uri: string): Promise<StoredPackages> {
  const { openStoredPackages } = await import('./mongo-packages.js');
  return openStoredPackages(uri);
}
