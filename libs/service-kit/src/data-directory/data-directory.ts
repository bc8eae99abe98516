import { mkdir } from 'node:fs/promises';
import { removeDrafts } from './files.js';
import { lockInstance } from '../sqlite/instance-lock.js';
import type { InstanceLock } from '../sqlite/instance-lock.js';

/** The folder cannot be used; the message says what to change. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

/**
 * Takes the data directory for this process and clears what a killed one left half written; one that is not there is made with mode 0700.
 * @throws InstanceRunning, DataDirectoryUnusable
 */
export async function openDataDirectory(dataDir: string): Promise<InstanceLock> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const startedAt = new Date(performance.timeOrigin).toISOString();
    const lock = lockInstance(dataDir, { pid: process.pid, startedAt });
    await removeDrafts(dataDir);
    return lock;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST' || code === 'EPERM') {
      throw new DataDirectoryUnusable(
        `${dataDir} cannot be used as data directory (${code}): set COUNTERSIGN_DATA_DIR`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}
