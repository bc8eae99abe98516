import { existsSync, readdirSync, realpathSync, rmSync, statfsSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { InstanceRunning, markIncomplete, openDataDirectory, syncFolder } from '@countersign/process';
import { BackupRefused } from './errors.js';

/** A folder next to the target that becomes the target when it is complete. */
export interface Draft {
  readonly folder: string;
  /** Renames it to the target, durably. */
  finish(): Promise<void>;
  /** Removes it with its content. */
  discard(): void;
}

/** Free space that stays for the instance if the target is on the file system of its data directory, bytes. */
const FOR_THE_INSTANCE = 128 * 1024 * 1024;

/**
 * Checks that a backup may become this folder: new or empty, not in the data directory, with a folder above it.
 * @param target absolute
 * @returns `target` with all symbolic links above it resolved
 * @throws BackupRefused
 */
export function checkTarget(dataDir: string, target: string): string {
  const parent = dirname(target);
  if (!existsSync(parent) || !statSync(parent).isDirectory()) {
    throw new BackupRefused(`${parent} is not a folder: create it, or mount what belongs there`);
  }
  const real = join(realpathSync(parent), basename(target));
  const data = realpathSync(dataDir);
  // An existing link leads somewhere else.
  const place = existsSync(real) ? realpathSync(real) : real;
  if (place === data) throw new BackupRefused(`${target} is the data directory itself: name another folder`);
  const below = relative(data, place);
  if (below !== '' && below !== '..' && !below.startsWith(`..${sep}`)) {
    throw new BackupRefused(`${target} is in the data directory ${dataDir}: name a folder outside it`);
  }
  if (!existsSync(real)) return real;
  if (!statSync(real).isDirectory()) throw new BackupRefused(`${target} is a file: name a folder that does not exist`);
  if (readdirSync(real).length > 0) {
    throw new BackupRefused(`${target} is not empty: name a folder that does not exist, each backup has its own`);
  }
  if (place !== real || statSync(real).dev !== statSync(dirname(real)).dev) {
    throw new BackupRefused(`${target} is a link or a mount point: name a folder below it`);
  }
  return real;
}

/**
 * Checks that the target's file system has room.
 * @param bytes of the backup
 * @throws BackupRefused that says how much is missing
 */
export function checkRoom(dataDir: string, target: string, bytes: number): void {
  const parent = dirname(target);
  const { bavail, bsize, blocks } = statfsSync(parent);
  // A file system that does not report its size.
  if (blocks === 0) return;
  const isShared = statSync(parent).dev === statSync(dataDir).dev;
  const needed = bytes + (isShared ? FOR_THE_INSTANCE : 0);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new BackupRefused(
    `${parent} has no room: ${mebibytes(free)} MiB are free, ${mebibytes(needed)} are needed` +
      `${isShared ? ', with what the instance on the same file system keeps free' : ''}: make room, or name another file system`,
  );
}

/**
 * Creates the folder that the backup is written to, and removes one that a killed command left there.
 * @param target as `checkTarget` returns it
 * @throws BackupRefused if another command writes it, or it holds something else
 */
export async function openDraft(target: string): Promise<Draft> {
  const folder = `${target}.incomplete`;
  if (existsSync(folder) && !isLeftover(folder)) {
    throw new BackupRefused(`${folder} is in the way, and no backup has left it: move it away, or name another folder`);
  }
  const lock = await openDataDirectory(folder).catch((error: unknown) => {
    if (error instanceof InstanceRunning) {
      throw new BackupRefused(`another command is writing a backup to ${target}`, { cause: error });
    }
    throw error;
  });
  for (const name of readdirSync(folder)) {
    if (!LOCK_FILES.includes(name)) rmSync(join(folder, name), { recursive: true });
  }
  const mark = markIncomplete(folder);
  const removeLock = (): void => {
    lock.release();
    for (const name of LOCK_FILES) rmSync(join(folder, name), { force: true });
  };
  return {
    folder,
    async finish() {
      await syncFolder(folder);
      mark.clear();
      removeLock();
      await syncFolder(folder);
      await rename(folder, target);
      await syncFolder(dirname(target));
    },
    discard() {
      removeLock();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const LOCK_FILES: readonly string[] = ['lock.db', 'lock.json'];

function isLeftover(folder: string): boolean {
  if (!statSync(folder).isDirectory()) return false;
  const names = readdirSync(folder);
  return names.length === 0 || names.includes('lock.db');
}

export function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
