import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@countersign/async';
import Database from 'better-sqlite3';
import { encodeBase58 } from '../../base58.js';
import { LedgerDamaged, LedgerLocked } from './errors.js';
import { NO_ROW_HASH, rowHash } from './rows.js';
import type { TransactionRow } from './rows.js';

const APPLICATION_ID = 0x43535043;
const FORMAT = 1;
/** Files up to this size are checked completely when they are opened. */
const CHECKED_BYTES = 64 * 2 ** 20;
const CHECKED_ROWS = 100;

const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE transactions (
  seq INTEGER PRIMARY KEY, signature TEXT NOT NULL UNIQUE, wire BLOB NOT NULL, slot INTEGER NOT NULL,
  block_time INTEGER NOT NULL, failure TEXT, logs TEXT NOT NULL, memos TEXT NOT NULL, signers TEXT NOT NULL,
  accounts TEXT NOT NULL, detail TEXT NOT NULL, row_hash BLOB NOT NULL
);
CREATE INDEX transactions_by_slot ON transactions (slot);
CREATE TABLE transaction_accounts (address TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (address, seq)) WITHOUT ROWID;
CREATE TABLE accounts (
  address TEXT PRIMARY KEY, lamports INTEGER NOT NULL, owner TEXT NOT NULL, data BLOB NOT NULL,
  executable INTEGER NOT NULL
) WITHOUT ROWID;`;

export interface Genesis {
  /** Base58 of 32 random bytes, made when the ledger was. */
  readonly genesisHash: string;
  readonly genesisMs: number;
  /** The faucet's Ed25519 seed, 32 bytes. */
  readonly faucetSeed: Uint8Array;
}

export function ledgerPath(dir: string): string {
  return join(dir, 'ledger.db');
}

/**
 * Locks the ledger for this network until `release`: the lock ends with the process, however it ends.
 * @throws LedgerLocked
 */
export function lockLedger(dir: string): { release(): void } {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = new Database(join(dir, 'ledger.lock'), { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if (isBusy(cause)) throw new LedgerLocked(dir, { cause });
    throw cause;
  }
  return { release: () => lock.close() };
}

/** Creates the ledger under a temporary name and renames it when it is complete, unless it exists. */
export function createLedger(dir: string, nowMs: number): void {
  const path = ledgerPath(dir);
  if (existsSync(path)) return;
  // A reader leaves an empty log behind.
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new LedgerDamaged(path, 'its write-ahead log is there and the file is not');
  }
  const unfinished = `${path}.unfinished`;
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + suffix, { force: true });
  const db = new Database(unfinished);
  db.pragma('synchronous = FULL');
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${FORMAT}`);
  db.exec(SCHEMA);
  const put = db.prepare('INSERT INTO meta VALUES (?, ?)');
  put.run('genesisHash', encodeBase58(randomBytes(32)));
  put.run('genesisMs', String(nowMs));
  put.run('faucetSeed', randomBytes(32).toString('hex'));
  db.close();
  renameSync(unfinished, path);
  const directory = openSync(dir, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

/**
 * Opens the ledger and checks its header, its pages (up to 64 MiB) and its last rows.
 * @throws LedgerDamaged naming the file
 */
export function openLedgerFile(dir: string, options: { readonly readonly: boolean }): Database.Database {
  const path = ledgerPath(dir);
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { fileMustExist: true, readonly: options.readonly, timeout: 5_000 });
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw new Error('another program wrote it');
    const format = db.pragma('user_version', { simple: true });
    if (format !== FORMAT) throw new Error(`its format is ${String(format)}, this program reads ${FORMAT}`);
    if (!options.readonly) {
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = FULL');
      const inForce = [db.pragma('journal_mode', { simple: true }), db.pragma('synchronous', { simple: true })];
      if (inForce[0] !== 'wal' || inForce[1] !== 2) throw new Error(`its modes are ${inForce.join(', ')}`);
    }
    if (statSync(path).size <= CHECKED_BYTES) {
      const verdict = db.pragma('quick_check(1)', { simple: true });
      if (verdict !== 'ok') throw new Error(String(verdict));
    }
    readGenesis(db);
    const broken = firstBrokenRow(db, CHECKED_ROWS);
    if (broken !== null) throw new Error(`transaction ${broken} does not follow from the one before`);
    return db;
  } catch (cause) {
    db?.close();
    if (isBusy(cause)) throw new LedgerLocked(dir, { cause });
    throw new LedgerDamaged(path, messageOf(cause), { cause });
  }
}

export function readGenesis(db: Database.Database): Genesis {
  const value = (key: string): string => {
    const row = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?').get(key);
    if (row === undefined) throw new Error(`it has no ${key}`);
    return row.value;
  };
  return {
    genesisHash: value('genesisHash'),
    genesisMs: Number(value('genesisMs')),
    faucetSeed: Buffer.from(value('faucetSeed'), 'hex'),
  };
}

/** Sequence of the first row that does not follow from the row before it, or is missing, among the `last` rows. */
export function firstBrokenRow(db: Database.Database, last: number): number | null {
  const newest = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM transactions').get()?.seq ?? 0;
  const from = Math.max(1, newest - last + 1);
  const before = db
    .prepare<[number], Pick<TransactionRow, 'row_hash'>>('SELECT row_hash FROM transactions WHERE seq = ?')
    .get(from - 1);
  if (from > 1 && before === undefined) return from - 1;
  let previous = before?.row_hash ?? NO_ROW_HASH;
  let expected = from;
  for (const row of db
    .prepare<[number], TransactionRow>('SELECT * FROM transactions WHERE seq >= ? ORDER BY seq')
    .iterate(from)) {
    if (row.seq !== expected || !Buffer.from(row.row_hash).equals(rowHash(row, previous))) return expected;
    previous = row.row_hash;
    expected += 1;
  }
  return null;
}

function isBusy(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_BUSY');
}
