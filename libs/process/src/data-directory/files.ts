import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes the names in a folder durable: renames and links are on disk only afterwards. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeBeside(file: string, content: string | Uint8Array, mode: number): Promise<string> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

const DRAFT = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Removes incomplete files that a killed process left in this folder. Only for the process that holds its lock. */
export async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => DRAFT.test(name));
  await Promise.all(drafts.map((name) => unlink(join(folder, name))));
}

/** Replaces a file atomically; durable once it resolves. */
export async function writeFileWhole(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = await writeBeside(file, content, mode);
  await rename(temporary, file);
  await syncFolder(dirname(file));
}

/** Returns the file's bytes; creates it with `content`, atomically and durably, if it does not exist. Of two concurrent calls one wins. */
export async function createFileOnce(file: string, content: () => Uint8Array, mode: number): Promise<Uint8Array> {
  const present = await readIfPresent(file);
  if (present !== null) return present;
  const temporary = await writeBeside(file, content(), mode);
  try {
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(temporary);
  }
  await syncFolder(dirname(file));
  return readFile(file);
}

/** Reads a file; `null` if it does not exist. */
export async function readIfPresent(file: string): Promise<Uint8Array | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
