import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LAYOUT } from '../layout.js';
import { BackupRefused } from './errors.js';
import { listSource } from './source-files.js';

/** One state of a data directory: what a crash at that moment would have left. */
export interface Cut {
  /** The cut holds what was durable at this time, and up to some milliseconds more. */
  readonly takenAt: Date;
  /** How long the stores accepted no writes, ms. The event log always did. */
  readonly heldMs: number;
  /** Read-only, each in a transaction that sees the state of the cut; the event log first. */
  readonly databases: readonly { readonly name: string; readonly connection: Database.Database }[];
  /** Contents of the other files, by path. */
  readonly others: ReadonlyMap<string, Buffer>;
  /** Paths of the bodies of reports. */
  readonly packages: readonly string[];
  close(): void;
}

/** Files with a single writer that depends on no other file: they are read while the others are locked. */
const UNLOCKED: readonly string[] = [LAYOUT.log, `${LAYOUT.ledger}/ledger.db`];

/** How long one attempt waits for one store, ms: the stores that it has locked already wait as well. */
const LOCK_MS = 20;
const LONGEST_WAIT_MS = 30_000;

/**
 * Takes one consistent cut of all databases, also while an instance writes to them. All stores are locked against writes;
 * then snapshots are opened, of the stores first and of the event log last; then the locks are released. No store changes
 * in between, so what is read is the state at one moment: no store is ahead of the log, and the log is not ahead of the
 * service that publishes to it. An append to the log waits for nothing.
 * @param databases paths below the data directory
 * @throws BackupRefused if the stores cannot be locked
 */
export async function takeCut(dataDir: string, databases: readonly string[]): Promise<Cut> {
  const open: Database.Database[] = [];
  const connect = (name: string, readonly: boolean): Database.Database => {
    const connection = new Database(join(dataDir, name), { readonly, fileMustExist: true, timeout: LOCK_MS });
    open.push(connection);
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    return connection;
  };
  try {
    const stores = databases.filter((name) => !UNLOCKED.includes(name));
    const locks = stores.map((name) => connect(name, false));
    const ordered = [...stores, ...UNLOCKED.filter((name) => databases.includes(name)).reverse()];
    const readers = ordered.map((name) => ({ name, connection: connect(name, true) }));
    await lockAll(locks);
    const begun = performance.now();
    try {
      const takenAt = new Date();
      for (const { connection } of readers) beginSnapshot(connection);
      // Services write keys and packages before what names them: these may be newer than the log, never older.
      const found = listSource(dataDir, databases);
      if (found.databases.length > databases.length) {
        throw new BackupRefused(`${dataDir} has just been given a new store: try again once the instance is ready`);
      }
      const others = readAll(dataDir, found.others);
      return {
        takenAt,
        heldMs: performance.now() - begun,
        databases: readers.reverse(),
        others,
        packages: found.packages,
        close: () => closeAll(open),
      };
    } finally {
      release(locks);
    }
  } catch (error) {
    closeAll(open);
    throw error;
  }
}

/** The state of the snapshot is that of the first read. */
function beginSnapshot(connection: Database.Database): void {
  connection.exec('BEGIN');
  connection.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** Locks all databases against writes. If one is busy, none stays locked until the next attempt. */
async function lockAll(connections: readonly Database.Database[]): Promise<void> {
  for (const until = performance.now() + LONGEST_WAIT_MS; ;) {
    try {
      for (const connection of connections) connection.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      release(connections);
      if (!isBusy(error)) throw error;
      if (performance.now() > until) {
        throw new BackupRefused('a store was being written to without a pause for 30 s: try again later', {
          cause: error,
        });
      }
    }
    await delay(20 + Math.random() * 80);
  }
}

function release(connections: readonly Database.Database[]): void {
  for (const connection of connections) if (connection.inTransaction) connection.exec('ROLLBACK');
}

function closeAll(connections: readonly Database.Database[]): void {
  for (const connection of connections) connection.close();
}

function readAll(dataDir: string, names: readonly string[]): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (const name of names) {
    try {
      contents.set(name, readFileSync(join(dataDir, name)));
    } catch (error) {
      // Removed since it was listed, as if it had been before.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return contents;
}

function isBusy(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}
