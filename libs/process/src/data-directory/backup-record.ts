import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileWhole } from './files.js';

/** The file of a backup that lists all others with their hashes. */
export const BACKUP_MANIFEST = 'backup.json';

const FILE = 'last-backup.json';

/** The last backup of a data directory that was completed and checked. */
export interface BackupRecord {
  /** Time of the state that it holds, ISO 8601. */
  readonly takenAt: string;
  /** Bytes of all its files. */
  readonly bytes: number;
  /** From the start of the command to its end. */
  readonly seconds: number;
}

/** Records a backup in the data directory that it was taken of, for the metric of its age. */
export function recordBackup(dataDir: string, record: BackupRecord): Promise<void> {
  return writeFileWhole(join(dataDir, FILE), `${JSON.stringify(record)}\n`, 0o600);
}

/** `null`: there was none, or the record cannot be read. */
export function readBackupRecord(dataDir: string): BackupRecord | null {
  try {
    const { takenAt, bytes, seconds } = JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as Partial<BackupRecord>;
    if (typeof takenAt !== 'string' || Number.isNaN(Date.parse(takenAt))) return null;
    return { takenAt, bytes: bytes ?? 0, seconds: seconds ?? 0 };
  } catch {
    return null;
  }
}
