import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readLedger, type LedgerReader } from '@countersign/chain';
import { readSqliteLog, verifyLog, type StoredLog } from '@countersign/event-log';
import { LAYOUT, placeOf, STORE_NAMES, type StoreName } from './layout.js';
import type { Check } from './report.js';

export type Store = Database.Database;

/** The files of a stopped instance, open for reading; `null`: it cannot be read, which is a finding already. */
export interface Stores extends Readonly<Record<StoreName, Store | null>> {
  readonly log: StoredLog | null;
  readonly ledger: LedgerReader | null;
  close(): void;
}

const RESTORE = 'restore the file from a backup; it has been left as it is';

/** Opens every file and checks its pages. Changes and creates nothing. */
export async function openStores(dataDir: string, files: Check): Promise<Stores> {
  const tidy = leftovers(dataDir);
  const stores = Object.fromEntries(STORE_NAMES.map((name) => [name, openStore(dataDir, name, files)]));
  const log = openLog(dataDir, files);
  const ledger = await openLedger(dataDir, files);
  return {
    ...(stores as Record<StoreName, Store | null>),
    log,
    ledger,
    close() {
      for (const store of Object.values(stores)) if (store !== null) closeStore(store);
      log?.close();
      ledger?.close();
      tidy();
    },
  };
}

/** What an error says of a file, without the file's name in front. */
function withoutPath(problem: string, file: string): string {
  const rest = problem.startsWith(file) ? problem.slice(file.length).replace(/^:? /, '') : problem;
  return rest.replaceAll(file, 'the file');
}

function closeStore(store: Store): void {
  try {
    store.close();
  } catch {
    // A check that broke off has left a row open: the end of the process closes it.
  }
}

/** SQLite makes two files beside a database that it reads in WAL mode: those that were not there are removed again. */
function leftovers(dataDir: string): () => void {
  const files = [...STORE_NAMES.map((name) => LAYOUT[name]), LAYOUT.log, `${LAYOUT.ledger}/ledger.db`];
  const made = files.map((file) => join(dataDir, file)).filter((file) => !existsSync(`${file}-wal`));
  return () => {
    for (const file of made) {
      const wal = statSync(`${file}-wal`, { throwIfNoEntry: false });
      if (wal !== undefined && wal.size > 0) continue;
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    }
  };
}

function openStore(dataDir: string, name: StoreName, files: Check): Store | null {
  const file = placeOf(dataDir, name);
  files.examined += 1;
  if (!existsSync(file)) {
    files.wrong(LAYOUT[name], 'the file is missing', 'restore it from a backup');
    return null;
  }
  let store: Store | undefined;
  try {
    store = new Database(file, { readonly: true, fileMustExist: true });
    const answer: unknown = store.pragma('quick_check(1)', { simple: true });
    if (answer === 'ok') return store;
    files.wrong(LAYOUT[name], `SQLite finds its pages damaged: ${String(answer)}`, RESTORE);
  } catch (error) {
    files.wrong(LAYOUT[name], `it cannot be read: ${words(error)}`, RESTORE);
  }
  store?.close();
  return null;
}

function openLog(dataDir: string, files: Check): StoredLog | null {
  const file = placeOf(dataDir, 'log');
  files.examined += 1;
  for (const problem of verifyLog(file)) files.wrong(LAYOUT.log, withoutPath(problem, file), RESTORE);
  if (existsSync(`${file}.failed`)) {
    files.note(`${LAYOUT.log}.failed: a write had failed; the next start takes the log over`);
  }
  try {
    return readSqliteLog(file);
  } catch {
    // verifyLog has named it.
    return null;
  }
}

async function openLedger(dataDir: string, files: Check): Promise<LedgerReader | null> {
  try {
    const ledger = await readLedger(placeOf(dataDir, 'ledger'));
    if (ledger === null) return null;
    files.examined += 1;
    const broken = ledger.firstBroken();
    if (broken !== null) {
      files.wrong(`${LAYOUT.ledger}/ledger.db transaction ${broken}`, 'it is missing or was changed', RESTORE);
    }
    return ledger;
  } catch (error) {
    files.examined += 1;
    const problem = words(error).replaceAll(placeOf(dataDir, 'ledger'), LAYOUT.ledger);
    files.wrong(`${LAYOUT.ledger}/ledger.db`, problem, RESTORE);
    return null;
  }
}

export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
