import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A package as it was stored: 60 MiB at most, streamed. */
export interface StoredPackage {
  readonly bytes: number;
  /** Once only. @throws PackageRemoved before the first chunk */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The package was removed between its look-up and the read of its first byte. */
export class PackageRemoved extends Error {
  override readonly name = 'PackageRemoved';
}

/** Packages as reporting stored them, by their SHA-256: read-only, and available also while reporting is down. */
export interface PackageBodies {
  /** `null` where there is none of that name. */
  get(sha256: string): Promise<StoredPackage | null>;
  close(): Promise<void>;
}

const SHA256 = /^[0-9a-f]{64}$/;
const CHUNK_BYTES = 256 * 1024;

/** @param directory reporting's folder of packages, in the same installation */
export function openFilePackageBodies(directory: string): PackageBodies {
  return {
    async get(sha256) {
      if (!SHA256.test(sha256)) throw new RangeError('a package is named by a hash');
      const file = join(directory, sha256);
      try {
        const { size } = await stat(file);
        return { bytes: size, chunks: chunksOf(file) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    close: async () => undefined,
  };
}

/** Opens the file at the first read, so that an unread package holds no descriptor. */
async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    // A file that is open is read to its end, also where it is removed meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new PackageRemoved(`${file} was removed`, { cause: error });
  }
}
