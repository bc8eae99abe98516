import { existsSync } from 'node:fs';
import type { TransactionFailure } from '../../port.js';
import { firstBrokenRow, ledgerPath, openLedgerFile, readGenesis } from './files.js';
import { fromRow } from './rows.js';
import type { TransactionRow } from './rows.js';

/** A landed transaction for the integrity check. */
export interface LedgerTransaction {
  readonly sequence: number;
  readonly signature: string;
  readonly slot: number;
  /** Equal to the slot: every slot of the embedded network has a block. */
  readonly blockHeight: number;
  /** Seconds since the epoch. */
  readonly blockTime: number;
  readonly succeeded: boolean;
  readonly err: TransactionFailure | null;
  readonly feePayer: string;
  readonly signers: readonly string[];
  readonly memos: readonly string[];
  /** The transaction's own bytes, signatures first. */
  readonly wire: Uint8Array;
}

/** Read-only view of a ledger's file, with or without a network that has it open. Close it. */
export interface LedgerReader {
  readonly genesisHash: string;
  /** Transactions in the order in which they landed. */
  transactions(): IterableIterator<LedgerTransaction>;
  transaction(signature: string): LedgerTransaction | null;
  count(): number;
  /** Sequence of the first transaction that is missing or was changed, `null` when all follow from each other. */
  firstBroken(): number | null;
  close(): void;
}

/**
 * Opens the ledger of a directory read-only, with or without a running network; `null` when there is none.
 * @throws LedgerDamaged naming the file
 */
export function readLedger(dir: string): LedgerReader | null {
  if (!existsSync(ledgerPath(dir)) && !existsSync(`${ledgerPath(dir)}-wal`)) return null;
  const db = openLedgerFile(dir, { readonly: true });
  const all = db.prepare<[], TransactionRow>('SELECT * FROM transactions ORDER BY seq');
  const one = db.prepare<[string], TransactionRow>('SELECT * FROM transactions WHERE signature = ?');
  return {
    genesisHash: readGenesis(db).genesisHash,
    *transactions() {
      for (const row of all.iterate()) yield view(row);
    },
    transaction(signature) {
      const row = one.get(signature);
      return row === undefined ? null : view(row);
    },
    count: () => db.prepare<[], { n: number }>('SELECT count(*) AS n FROM transactions').get()?.n ?? 0,
    firstBroken: () => firstBrokenRow(db, Number.MAX_SAFE_INTEGER),
    close: () => void db.close(),
  };
}

function view(row: TransactionRow): LedgerTransaction {
  const { failure, signers, memos } = fromRow(row);
  return {
    sequence: row.seq,
    signature: row.signature,
    slot: row.slot,
    blockHeight: row.slot,
    blockTime: row.block_time,
    succeeded: failure === null,
    err: failure,
    feePayer: signers[0] ?? '',
    signers,
    memos,
    wire: row.wire,
  };
}
