import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeDrafts } from './files.js';
import { LOCK_FILE, lockInstance } from './instance-lock.js';
import type { InstanceLock } from './instance-lock.js';

/** The folder cannot be used; the message says what to change. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

const OTHERS = 0o077;
const EVERYBODY = 0o007;

/**
 * Takes the data directory for this process and clears what a killed one left half written; one that is not there is made
 * with mode 0700, and one of ours that others may enter gets it. One of another user that everybody may enter, as a mounted
 * volume often is, is used where it holds our data already, and refused otherwise.
 * @param said takes one line about a mode that was changed, or that should be
 * @throws InstanceRunning, DataDirectoryUnusable
 */
export async function openDataDirectory(
  dataDir: string,
  said: (what: string) => void = () => undefined,
): Promise<InstanceLock> {
  await makeDataDirectory(dataDir);
  try {
    await closeToOthers(dataDir, said);
    const startedAt = new Date(performance.timeOrigin).toISOString();
    const lock = lockInstance(dataDir, { pid: process.pid, startedAt });
    await removeDrafts(dataDir);
    return lock;
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/**
 * Makes the folder and those above it, mode 0700, where they are not there.
 * @throws DataDirectoryUnusable
 */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  try {
    await makeFolders(dataDir);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/** One after the other: Node's own recursion never ends where a folder that is there takes none (`/proc`). */
async function makeFolders(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; !(await isFolder(at)); at = dirname(at)) missing.push(at);
  for (const each of missing.reverse()) {
    await mkdir(each, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' || !(await isFolder(each))) throw error;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR', path });
}

/** @throws DataDirectoryUnusable where everybody may enter a folder that belongs to another user and holds no data of ours */
async function closeToOthers(dataDir: string, said: (what: string) => void): Promise<void> {
  const { mode, uid } = await stat(dataDir);
  const us = process.getuid?.();
  if (us === undefined || (mode & OTHERS) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  if (uid === us) {
    await chmod(dataDir, mode & 0o700);
    said(`${dataDir} had mode ${shown} and has 0700 now: it holds keys and openings`);
    return;
  }
  if ((mode & EVERYBODY) === 0) return;
  const found = `${dataDir} has mode ${shown} and belongs to user ${uid}`;
  const dataOf = await ownerOf(join(dataDir, LOCK_FILE));
  if (dataOf === us) {
    said(`${found}: other users may replace the keys in it; give it mode 0700 and to user ${us}`);
    return;
  }
  const remedy =
    dataOf === null
      ? `set COUNTERSIGN_DATA_DIR=${join(dataDir, 'data')}, a folder that is made with mode 0700, or give ${dataDir} that mode and to user ${us}`
      : `it holds data of user ${dataOf}: start as that user, with mode 0700`;
  throw new DataDirectoryUnusable(`${found}, and a data directory holds keys and openings: ${remedy}`);
}

/** The user that a file belongs to; `null`: it is not there. */
async function ownerOf(file: string): Promise<number | null> {
  try {
    return (await lstat(file)).uid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** What the file system refused, in one line; anything else as it is. */
function unusable(dataDir: string, error: unknown): unknown {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const ofSqlite = code === 'SQLITE_CANTOPEN' || code?.startsWith('SQLITE_READONLY') === true;
  if (code === undefined || (syscall === undefined && code !== 'ENOTDIR' && !ofSqlite)) return error;
  const where = path === undefined || path === dataDir ? '' : ` at ${path}`;
  return new DataDirectoryUnusable(
    `${dataDir} cannot be used as data directory (${code}${where}): set COUNTERSIGN_DATA_DIR to a folder that can be written`,
    { cause: error },
  );
}
