import { createHash } from 'node:crypto';
import type { TransactionFailure } from '../../port.js';
import type { Execution } from '../bank/engine.js';

/** A transaction that has landed, whether it succeeded or not. */
export interface LandedTransaction {
  readonly signature: string;
  readonly wire: Uint8Array;
  readonly slot: number;
  /** Seconds since the epoch. */
  readonly blockTime: number;
  /** `null`: it succeeded. */
  readonly failure: TransactionFailure | null;
  readonly logs: readonly string[];
  /** Texts of its top-level memo instructions. */
  readonly memos: readonly string[];
  /** Addresses of all accounts that signed, fee payer first. */
  readonly signers: readonly string[];
  /** All addresses in it: static keys, then loaded ones. */
  readonly accounts: readonly string[];
  readonly detail: LandedDetail;
}

export interface LandedDetail extends Pick<Execution, 'unitsConsumed' | 'innerInstructions' | 'returnData'> {
  readonly fee: number;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly loadedAddresses: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
}

/** A row of the table `transactions`. Lists are JSON. */
export interface TransactionRow {
  readonly seq: number;
  readonly signature: string;
  readonly wire: Uint8Array;
  readonly slot: number;
  readonly block_time: number;
  readonly failure: string | null;
  readonly logs: string;
  readonly memos: string;
  readonly signers: string;
  readonly accounts: string;
  readonly detail: string;
  /** SHA-256 over the row before and this row: any change shows in all later rows. */
  readonly row_hash: Uint8Array;
}

export const NO_ROW_HASH = new Uint8Array(32);

export function toRow(transaction: LandedTransaction, seq: number, previousHash: Uint8Array): TransactionRow {
  const row = {
    seq,
    signature: transaction.signature,
    wire: transaction.wire,
    slot: transaction.slot,
    block_time: transaction.blockTime,
    failure: transaction.failure === null ? null : JSON.stringify(transaction.failure),
    logs: JSON.stringify(transaction.logs),
    memos: JSON.stringify(transaction.memos),
    signers: JSON.stringify(transaction.signers),
    accounts: JSON.stringify(transaction.accounts),
    detail: JSON.stringify(transaction.detail),
  };
  return { ...row, row_hash: rowHash(row, previousHash) };
}

export function fromRow(row: TransactionRow): LandedTransaction {
  return {
    signature: row.signature,
    wire: row.wire,
    slot: row.slot,
    blockTime: row.block_time,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as TransactionFailure),
    logs: JSON.parse(row.logs) as string[],
    memos: JSON.parse(row.memos) as string[],
    signers: JSON.parse(row.signers) as string[],
    accounts: JSON.parse(row.accounts) as string[],
    detail: JSON.parse(row.detail) as LandedDetail,
  };
}

export function rowHash(row: Omit<TransactionRow, 'row_hash'>, previousHash: Uint8Array): Uint8Array {
  const texts = [row.signature, row.failure, row.logs, row.memos, row.signers, row.accounts, row.detail];
  return createHash('sha256')
    .update(previousHash)
    .update(JSON.stringify([row.seq, row.slot, row.block_time, row.wire.length, ...texts]))
    .update(row.wire)
    .digest();
}
