import type { Observation, PreparedTransaction, TransactionFailure, TransactionStatus } from '../port.js';
import type { SubmissionIntent, SubmissionStep } from './intent.js';

type Fate =
  | { readonly fate: 'landed'; readonly slot: number }
  | { readonly fate: 'failed'; readonly err: TransactionFailure }
  | { readonly fate: 'in-a-block' | 'can-land' | 'cannot-land' | 'unproven' | 'unknown' };

/**
 * The next step, given the stored intent and the latest answers of one node.
 * - Another transaction is signed only when every earlier one is proven unable to land: the finalized block height has
 *   passed its `lastValidBlockHeight` and a look-up in a history that reaches back to it does not find it.
 * - Of several that landed anyway the earliest counts; the others have the same memo.
 */
export function nextStep(intent: SubmissionIntent, observed: Observation | null): SubmissionStep {
  if (intent.landed !== null) return { step: 'done' };
  const newest = intent.attempts.at(-1);
  if (newest === undefined) return { step: 'sign', why: 'first' };
  if (observed === null) return { step: 'observe' };

  const fates = intent.attempts.map((attempt) => ({ attempt, ...fateOf(attempt, observed) }));
  const landed = fates
    .flatMap((one) => (one.fate === 'landed' ? [{ signature: one.attempt.signature, slot: one.slot }] : []))
    .sort((a, b) => a.slot - b.slot);
  if (landed[0] !== undefined) return { step: 'record', landed: landed[0] };

  const some = (fate: Fate['fate']): boolean => fates.some((one) => one.fate === fate);
  if (some('in-a-block')) return { step: 'wait', why: 'not-final' };
  if (some('unknown')) return { step: 'observe' };
  const sendable = fates.findLast((one) => one.fate === 'can-land');
  if (sendable !== undefined) return { step: 'send', wire: sendable.attempt.wire };
  if (some('unproven')) return { step: 'wait', why: 'history-too-short' };
  const failed = fates.find((one) => one.fate === 'failed');
  if (failed?.fate === 'failed') return { step: 'failed', signature: failed.attempt.signature, err: failed.err };
  return { step: 'sign', why: 'expired' };
}

function fateOf(attempt: PreparedTransaction, observed: Observation): Fate {
  const status: TransactionStatus | undefined = observed.statuses.get(attempt.signature);
  switch (status?.state) {
    case undefined:
      return { fate: 'unknown' };
    case 'pending':
    case 'confirmed':
      return { fate: 'in-a-block' };
    case 'finalized':
      return status.err === null ? { fate: 'landed', slot: status.slot } : { fate: 'failed', err: status.err };
    case 'not-found':
      if (observed.finalizedBlockHeight <= attempt.lastValidBlockHeight) return { fate: 'can-land' };
      return { fate: (observed.historyFromSlot ?? 0) <= attempt.preparedAtSlot ? 'cannot-land' : 'unproven' };
  }
}
