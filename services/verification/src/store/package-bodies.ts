import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Packages as reporting stored them, by their SHA-256: read only, and there also while reporting is down. */
export interface PackageBodies {
  /** `null` where there is none of that name. */
  get(sha256: string): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** @param directory the folder of reporting's packages, in the same installation */
export function openFilePackageBodies(directory: string): PackageBodies {
  return {
    async get(sha256) {
      if (!SHA256.test(sha256)) throw new RangeError('a package is named by a hash');
      try {
        return await readFile(join(directory, sha256));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    close: async () => undefined,
  };
}
