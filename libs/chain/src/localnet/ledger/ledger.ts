import type Database from 'better-sqlite3';
import type { Account } from '../bank/engine.js';
import { createLedger, lockLedger, openLedgerFile, readGenesis } from './files.js';
import type { Genesis } from './files.js';
import { fromRow, NO_ROW_HASH, toRow } from './rows.js';
import type { LandedTransaction, TransactionRow } from './rows.js';

/** Arguments of `getSignaturesForAddress`; newest first. */
export interface AddressQuery {
  readonly address: string;
  readonly upToSlot: number;
  /** Only older than this signature. */
  readonly before: string | null;
  /** Only newer than this signature. */
  readonly until: string | null;
  readonly limit: number;
}

const ACCOUNT_FIELDS = 'address, lamports, owner, data, executable';
const INSERT = `INSERT INTO transactions VALUES
  (@seq, @signature, @wire, @slot, @block_time, @failure, @logs, @memos, @signers, @accounts, @detail, @row_hash)`;
const OF_ADDRESS = `SELECT t.* FROM transaction_accounts a JOIN transactions t ON t.seq = a.seq
  WHERE a.address = ? AND a.seq < ? AND a.seq > ? AND t.slot <= ? ORDER BY a.seq DESC LIMIT ?`;

/**
 * Every landed transaction and the current accounts, in one SQLite file of a directory. `commit` returns when it is
 * durable.
 */
export class Ledger {
  readonly genesis: Genesis;
  readonly #db: Database.Database;
  readonly #lock: { release(): void };
  readonly #statements;
  #lastSeq: number;
  #lastHash: Uint8Array;

  /** @throws LedgerDamaged, LedgerLocked */
  static open(dir: string, nowMs: number): Ledger {
    const lock = lockLedger(dir);
    try {
      createLedger(dir, nowMs);
      return new Ledger(openLedgerFile(dir, { readonly: false }), lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor(db: Database.Database, lock: { release(): void }) {
    this.#db = db;
    this.#lock = lock;
    this.genesis = readGenesis(db);
    this.#statements = {
      insert: db.prepare(INSERT),
      name: db.prepare('INSERT OR IGNORE INTO transaction_accounts VALUES (?, ?)'),
      put: db.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?)'),
      remove: db.prepare('DELETE FROM accounts WHERE address = ?'),
      bySignature: db.prepare<[string], TransactionRow>('SELECT * FROM transactions WHERE signature = ?'),
      sequence: db.prepare<[string], { seq: number }>('SELECT seq FROM transactions WHERE signature = ?'),
      bySlot: db.prepare<[number], TransactionRow>('SELECT * FROM transactions WHERE slot = ? ORDER BY seq'),
      ofAddress: db.prepare<[string, number, number, number, number], TransactionRow>(OF_ADDRESS),
    };
    const newest = db.prepare<[], TransactionRow>('SELECT * FROM transactions ORDER BY seq DESC LIMIT 1').get();
    this.#lastSeq = newest?.seq ?? 0;
    this.#lastHash = newest?.row_hash ?? NO_ROW_HASH;
    this.lastSlot = newest?.slot ?? 0;
    this.lastSeconds = newest?.block_time ?? 0;
  }

  /** Slot of the newest transaction when the ledger was opened. */
  readonly lastSlot: number;
  /** Its block time. */
  readonly lastSeconds: number;

  get count(): number {
    return this.#lastSeq;
  }

  /** Atomic; durable when it returns. `null` for a removed account. */
  commit(transactions: readonly LandedTransaction[], accounts: ReadonlyMap<string, Account | null>): void {
    const { insert, name, put, remove } = this.#statements;
    let seq = this.#lastSeq;
    let hash = this.#lastHash;
    this.#db.transaction(() => {
      for (const transaction of transactions) {
        const row = toRow(transaction, ++seq, hash);
        hash = row.row_hash;
        insert.run(row);
        for (const address of transaction.accounts) name.run(address, seq);
      }
      for (const [address, account] of accounts) {
        if (account === null) remove.run(address);
        else put.run(address, account.lamports, account.owner, account.data, account.executable ? 1 : 0);
      }
    })();
    this.#lastSeq = seq;
    this.#lastHash = hash;
  }

  /** Non-executable accounts first: a program's data exists before the program. */
  *accounts(): Generator<Account> {
    const rows = this.#db.prepare<[], Omit<Account, 'executable'> & { executable: number }>(
      `SELECT ${ACCOUNT_FIELDS} FROM accounts ORDER BY executable`,
    );
    for (const row of rows.iterate()) yield { ...row, executable: row.executable === 1 };
  }

  has(signature: string): boolean {
    return this.#statements.sequence.get(signature) !== undefined;
  }

  bySignature(signature: string): LandedTransaction | null {
    const row = this.#statements.bySignature.get(signature);
    return row === undefined ? null : fromRow(row);
  }

  bySlot(slot: number): LandedTransaction[] {
    return this.#statements.bySlot.all(slot).map(fromRow);
  }

  /** Newest first. An unknown `before` gives nothing, an unknown `until` sets no limit. */
  ofAddress(query: AddressQuery): LandedTransaction[] {
    const sequence = (signature: string): number | undefined => this.#statements.sequence.get(signature)?.seq;
    const before = query.before === null ? Number.MAX_SAFE_INTEGER : (sequence(query.before) ?? 0);
    const until = query.until === null ? 0 : (sequence(query.until) ?? 0);
    return this.#statements.ofAddress.all(query.address, before, until, query.upToSlot, query.limit).map(fromRow);
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
  }
}
