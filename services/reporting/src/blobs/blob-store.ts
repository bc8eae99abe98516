import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Bodies of reports, addressed by a hash. */
export interface BlobStore {
  /** Durable when it resolves; writing the same name again changes nothing. */
  put(name: string, chunks: Iterable<string | Uint8Array>): Promise<void>;
  /** `null` where there is none. */
  get(name: string): Promise<Buffer | null>;
  remove(name: string): Promise<void>;
}

const NAME = /^[0-9a-f]{64}(\.[a-z]+)?$/;

/** Files of a folder: written beside their place, synced, then renamed, so that none is ever half there. */
export async function openFileBlobs(directory: string): Promise<BlobStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const place = (name: string): string => {
    if (!NAME.test(name)) throw new RangeError('a blob is named by a hash');
    return join(directory, name);
  };
  return {
    async put(name, chunks) {
      const target = place(name);
      const draft = `${target}.${process.pid}.draft`;
      const file = await open(draft, 'w', 0o600);
      try {
        for (const chunk of chunks) await file.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, target);
      const folder = await open(directory, 'r');
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
    },
    async get(name) {
      try {
        return await readFile(place(name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    remove: (name) => rm(place(name), { force: true }),
  };
}
