import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryUnusable } from './data-directory.js';
import { LOCK_FILE } from './instance-lock.js';

const MARK = 'running.json';
/** Content of the mark in a folder that a backup is being written to. */
const INCOMPLETE = 'incomplete backup';
/** Files whose inodes identify the directory: a copy has others. */
const OF_THE_FOLDER = ['.', LOCK_FILE, MARK] as const;

/**
 * Marks the locked data directory as in use until `clear` is called at a clean stop. The mark contains the inodes of the
 * directory's files: a killed process and a snapshot of the volume keep them, a copy of the files has others. So a copy made
 * while the instance ran, whose files are of different moments, is distinguished from the original after a crash.
 * @param anyInodes accepts other inodes, for file systems that change them at a mount; copies are then not detected
 * @throws DataDirectoryUnusable if the folder was copied while an instance ran on the original, or is an incomplete backup
 */
export function markRunning(dataDir: string, anyInodes = false): { clear(): void } {
  const mark = join(dataDir, MARK);
  const left = readMark(mark);
  if (left === INCOMPLETE) {
    throw new DataDirectoryUnusable(
      `${dataDir} is an incomplete backup: its command was killed or still runs. Remove the folder, and take another backup`,
    );
  }
  if (left !== null && !anyInodes && left !== inodesOf(dataDir)) {
    throw new DataDirectoryUnusable(
      `${dataDir} was copied while an instance ran on the original, or after that was killed: its files are of different ` +
        'moments. Take a backup of the original with countersign admin backup, which may run, and start that; or stop the ' +
        'original cleanly, copy it then, and start the copy. Where this is the original, moved file by ' +
        `file after it was killed, look at it with countersign fsck, remove ${mark}, and start again; where its file system ` +
        'changes inodes at each mount, set COUNTERSIGN_ALLOW_CHANGED_INODES=true',
    );
  }
  writeFileSync(mark, '', { mode: 0o600 });
  writeFileSync(mark, `${inodesOf(dataDir)}\n`);
  return { clear: () => rmSync(mark, { force: true }) };
}

/** Marks a folder as an incomplete backup, so that no instance starts on it, until `clear` is called. */
export function markIncomplete(folder: string): { clear(): void } {
  const mark = join(folder, MARK);
  writeFileSync(mark, `${INCOMPLETE}\n`, { mode: 0o600 });
  return { clear: () => rmSync(mark) };
}

/** Reads the mark; `null`: no instance runs, or the last one stopped cleanly. */
function readMark(mark: string): string | null {
  try {
    // A crash can leave it empty.
    return readFileSync(mark, 'utf8').trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function inodesOf(dataDir: string): string {
  return JSON.stringify(OF_THE_FOLDER.map((name) => String(statSync(join(dataDir, name), { bigint: true }).ino)));
}
