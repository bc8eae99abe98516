import Database from 'better-sqlite3';

export type Connection = Database.Database;
export type Statement = Database.Statement<unknown[]>;

/** Before it, a checkpoint of one connection could lose a concurrent commit of another (the "WAL-reset bug"). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/** Time that a statement waits for a lock of another connection, ms. */
export const BUSY_MS = 5000;

/**
 * SQLite's result code of an error (`SQLITE_FULL`…), or `null` when it is not SQLite's. By its code only: the driver
 * keeps the error class of the realm that loaded it first in the process, which need not be this one.
 */
export function sqliteCode(error: unknown): string | null {
  const code: unknown = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : null;
}

/** The file's bytes are not a log, independent of the disk's state: `SQLITE_CORRUPT…`, `SQLITE_NOTADB`. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB');
}

/** Reads only, never writes a page of the file. */
export function connectReading(file: string): Connection {
  const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
  connection.pragma('query_only = ON');
  return connection;
}

/**
 * A writing connection: the writer's, or that of its checkpoint thread. Throws unless every commit is synced before it
 * returns.
 */
export function connectWriting(file: string, mayCreate: boolean): Connection {
  const connection = new Database(file, { fileMustExist: !mayCreate, timeout: BUSY_MS });
  try {
    connection.pragma('synchronous = FULL');
    connection.pragma('wal_autocheckpoint = 0');
    connection.pragma('secure_delete = ON');
    const version = connection.prepare('SELECT sqlite_version()').pluck().get() as string;
    if (!isRecent(version)) throw new Error(`SQLite ${version} is older than ${OLDEST_SQLITE.join('.')}: refused`);
    const synchronous: unknown = connection.pragma('synchronous', { simple: true });
    if (synchronous !== 2) throw new Error(`SQLite keeps synchronous=${String(synchronous)}, not FULL: refused`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Switches to write-ahead logging; throws where the file system does not support it. */
export function useWriteAheadLog(connection: Connection): void {
  const mode: unknown = connection.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') throw new Error(`SQLite keeps journal_mode=${String(mode)}, not WAL: refused`);
}

/** Reports whether this version of SQLite may checkpoint and commit concurrently. */
export function isRecent(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [i, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[i] ?? 0;
    if (part !== oldest) return part > oldest;
  }
  return true;
}
