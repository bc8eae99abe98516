import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreDamaged } from '@countersign/document-store';

/** In every data directory of the embedded profile, from its first start on. */
export const LOCK_FILE = 'lock.db';

/** Another process holds the data directory. */
export class InstanceRunning extends Error {
  override readonly name = 'InstanceRunning';
  constructor(
    readonly dataDir: string,
    readonly holder: Holder | null,
  ) {
    const who = holder === null ? 'another process' : `process ${holder.pid}, started ${holder.startedAt},`;
    super(`${who} uses ${dataDir}: stop it, or set COUNTERSIGN_DATA_DIR to another folder`);
  }
}

export interface Holder {
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
}

export interface InstanceLock {
  release(): void;
}

/**
 * Locks a folder for this process. The operating system holds the lock while the process lives, through an exclusive SQLite
 * transaction on `lock.db` that is never committed: a killed process leaves no lock, and a reused process id cannot be
 * mistaken for it. `lock.json` only names the holder.
 * @throws InstanceRunning that names the holder; StoreDamaged if `lock.db` is not a lock
 */
export function lockInstance(dataDir: string, holder: Holder): InstanceLock {
  const file = `${dataDir}/${LOCK_FILE}`;
  closeSync(openSync(file, 'a', 0o600));
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    const { code } = error as { code?: string };
    if (code?.startsWith('SQLITE_BUSY')) throw new InstanceRunning(dataDir, readHolder(dataDir));
    if (code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT')) {
      throw new StoreDamaged(file, 'is damaged: move it away while no instance runs, it keeps nothing', {
        cause: error,
      });
    }
    throw error;
  }
  writeFileSync(`${dataDir}/lock.json`, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return {
    release() {
      if (!database.open) return;
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

function readHolder(dataDir: string): Holder | null {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(`${dataDir}/lock.json`, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null;
  } catch {
    return null;
  }
}
