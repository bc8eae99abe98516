import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlobName, requireBlobName, type BlobStore } from './blob-store.js';

const DRAFT = /\.draft$/;

/**
 * Files of a folder that this process has locked: written to a temporary name, synced, then renamed, so that none is
 * ever incomplete. Unfinished files of a killed process are removed.
 */
export async function openFileBlobs(directory: string): Promise<BlobStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const drafts = (await readdir(directory)).filter((name) => DRAFT.test(name));
  await Promise.all(drafts.map((name) => rm(join(directory, name), { force: true })));
  const pathOf = (name: string): string => join(directory, requireBlobName(name));
  return {
    async put(name, chunks) {
      const target = pathOf(name);
      if (await isThere(target)) return;
      const draft = `${target}.${randomUUID()}.draft`;
      try {
        await write(draft, chunks);
        await rename(draft, target);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(directory);
    },
    async get(name) {
      try {
        return await readFile(pathOf(name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async namesBefore(ms) {
      const names = (await readdir(directory)).filter(isBlobName);
      const ages = await Promise.all(names.map((name) => modifiedAt(join(directory, name))));
      return names.filter((_, n) => (ages[n] ?? Infinity) < ms);
    },
    close: async () => undefined,
  };
}

async function isThere(file: string): Promise<boolean> {
  return (await modifiedAt(file)) !== null;
}

/** Ms; `null`: there is no such file. */
async function modifiedAt(file: string): Promise<number | null> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    },
  );
}

async function write(path: string, chunks: Iterable<string | Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for (const chunk of chunks) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
