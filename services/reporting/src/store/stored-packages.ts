import type { StoredPackages } from './mongo-packages.js';

/** Opens the packages in GridFS, read-only. The driver is loaded only by this call. */
export async function readStoredPackages(uri: string): Promise<StoredPackages> {
  const { openStoredPackages } = await import('./mongo-packages.js');
  return openStoredPackages(uri);
}
