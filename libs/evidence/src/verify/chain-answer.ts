import type { ChainTransaction } from './options.js';

/** A transaction as a chain tells of it at the `finalized` commitment: it can no longer be undone. */
export interface FinalizedTransaction {
  readonly succeeded: boolean;
  readonly signers: readonly string[];
  readonly memos: readonly string[];
  readonly blockHeight: number | null;
  readonly slot: number;
  readonly confirmations: number | null;
  /** Seconds since the epoch; `null` where the chain keeps none. */
  readonly blockTime: number | null;
}

/** What a chain found, as verification takes it; `null`: it has no such transaction. */
export function chainAnswer(found: FinalizedTransaction | null): ChainTransaction | 'not-found' {
  if (found === null) return 'not-found';
  const { succeeded, signers, memos, blockHeight, slot, confirmations, blockTime } = found;
  const time = blockTime === null ? null : new Date(blockTime * 1000).toISOString();
  return { succeeded, finalized: true, signers, memos, blockHeight, slot, confirmations, blockTime: time };
}
