import { isInstant } from '../encoding/time.js';
import type { ChainTransaction } from './options.js';

const END_OF_9999_SECONDS = 253_402_300_799;

/** A transaction at the `finalized` commitment: it can no longer be undone. */
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

/** The look-up of a transaction in the form that verification takes; `null`: the chain has no such transaction. */
export function chainAnswer(found: FinalizedTransaction | null): ChainTransaction | 'not-found' {
  if (found === null) return 'not-found';
  const { succeeded, signers, memos, blockHeight, slot, confirmations, blockTime } = found;
  const time = blockTimeText(blockTime);
  return { succeeded, finalized: true, signers, memos, blockHeight, slot, confirmations, blockTime: time };
}

/**
 * ISO text of the block time that a node gives; `null` except for whole seconds from 1970 to the end of the year 9999.
 */
export function blockTimeText(seconds: unknown): string | null {
  const isTime = Number.isInteger(seconds) && (seconds as number) >= 0 && (seconds as number) <= END_OF_9999_SECONDS;
  return isTime ? new Date((seconds as number) * 1000).toISOString() : null;
}

/** The block time of an answer; `null` where it is not one that {@link blockTimeText} gives. */
export function knownTime(blockTime: string | null): string | null {
  return isInstant(blockTime) ? blockTime : null;
}
