import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

/** Where a crash is looked at by tests: each step leaves the old file or the new one in place. */
export type Step = 'made' | 'kept' | 'settled' | 'swapped';

/**
 * Puts a rebuilt database in the place of a damaged one. At every moment one of the two is there whole; the
 * damaged one is kept aside with what its write-ahead log held, under a name that nothing had.
 * @param fresh closed; in the same file system
 * @returns name of the one that was kept aside; `null`: there was none
 */
export function swapIn(
  file: string,
  fresh: string,
  now: Date,
  at: (step: Step) => void = () => undefined,
): string | null {
  sync(fresh);
  at('made');
  const aside = existsSync(file) ? keepAside(file, now) : null;
  at('kept');
  settle(file);
  at('settled');
  renameSync(fresh, file);
  sync(dirname(file));
  at('swapped');
  return aside;
}

function keepAside(file: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
  let aside = `${file}.damaged-${stamp}`;
  for (let n = 2; existsSync(aside); n += 1) aside = `${file}.damaged-${stamp}-${n}`;
  for (const suffix of ['-wal', '']) {
    if (suffix !== '' && (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0) === 0) continue;
    const begun = `${aside}${suffix}.copying`;
    rmSync(begun, { force: true });
    copyFileSync(file + suffix, begun, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    sync(begun);
    renameSync(begun, aside + suffix);
  }
  sync(dirname(file));
  return aside;
}

/** A write-ahead log that stays would be read into the file that comes: what it holds goes into the old one first. */
function settle(file: string): void {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 && existsSync(file)) {
    try {
      const old = new Database(file);
      old.pragma('wal_checkpoint(TRUNCATE)');
      old.close();
    } catch {
      // It cannot be read; the copy has both.
    }
  }
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
