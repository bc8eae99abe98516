import type { PreparedTransaction, TransactionFailure } from '../port.js';

/**
 * A memo that is to be on the chain once, with the transactions signed for it. Stored before every step that is visible
 * outside.
 */
export interface SubmissionIntent {
  readonly memo: string;
  /** Every transaction ever signed for it, oldest first. */
  readonly attempts: readonly PreparedTransaction[];
  /** The finalized transaction that holds the memo, once there is one. */
  readonly landed: { readonly signature: string; readonly slot: number } | null;
}

/** A new intent: nothing signed. */
export function intentFor(memo: string): SubmissionIntent {
  return { memo, attempts: [], landed: null };
}

/** The next step of an intent. */
export type SubmissionStep =
  /** Sign a transaction, store it, then send it. */
  | { readonly step: 'sign'; readonly why: 'first' | 'expired' }
  /** The network does not know the transaction and it can still land: send the same bytes again. */
  | { readonly step: 'send'; readonly wire: string }
  /** It is in a block that is not final. */
  | { readonly step: 'wait'; readonly why: 'not-final' }
  /**
   * Its validity is over, but no look-up can show that it did not land: an operator must configure a node with history.
   */
  | { readonly step: 'wait'; readonly why: 'history-too-short' }
  /** Nothing is known yet, or not about every attempt. */
  | { readonly step: 'observe' }
  /** It is finalized: store where. */
  | { readonly step: 'record'; readonly landed: { readonly signature: string; readonly slot: number } }
  /** It is finalized with an error; the same memo would fail again. */
  | { readonly step: 'failed'; readonly signature: string; readonly err: TransactionFailure }
  | { readonly step: 'done' };
