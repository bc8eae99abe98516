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
 * Locks the data directory for this process and removes incomplete files of a killed one. A missing directory is created with
 * mode 0700; an own directory that others may enter is set to it. A directory of another user that every user may enter,
 * such as a mounted volume, is used if it has our data already, and refused otherwise.
 * @param said receives one line about a mode that was changed, or that should be
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
 * Creates the folder and those above it, mode 0700, unless they exist.
 * @throws DataDirectoryUnusable
 */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  try {
    await makeFolders(dataDir);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/** Creates folders one by one: Node's own recursion never ends if an existing folder cannot have children (`/proc`). */
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

/** @throws DataDirectoryUnusable if the folder belongs to another user, every user may enter it, and it has no data of ours */
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

/** Returns the owner of a file; `null`: it does not exist. */
async function ownerOf(file: string): Promise<number | null> {
  try {
    return (await lstat(file)).uid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Turns an error of the file system into one line; returns other errors unchanged. */
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
