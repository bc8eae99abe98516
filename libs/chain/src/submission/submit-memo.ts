import { setTimeout as sleep } from 'node:timers/promises';
import { ChainRejected } from '../errors.js';
import type { TransactionFailure } from '../port.js';
import { advance } from './advance.js';
import type { Advanced, SubmissionTools } from './advance.js';
import type { SubmissionIntent } from './intent.js';

const POLL_MS = 500;

export interface SubmitMemoOptions<Intent extends SubmissionIntent> extends SubmissionTools<Intent> {
  /** Interval of look-ups, ms; 500 unless given. */
  readonly pollMs?: number;
  /** Ends the wait; the intent stays as saved and can be continued. */
  readonly signal?: AbortSignal;
  /** Called after each step, for logs and metrics. */
  readonly onStep?: (advanced: Advanced<Intent>) => void;
}

/**
 * Brings one memo onto the chain and resolves with the intent when it is finalized. Continues where an earlier process
 * stopped. Retries while the chain is unavailable.
 * @throws ChainRejected `transaction-failed` when the transaction is final with an error, the signal's reason when
 * aborted, the error of `save`
 */
export async function submitMemo<Intent extends SubmissionIntent>(
  intent: Intent,
  options: SubmitMemoOptions<Intent>,
): Promise<Intent & { readonly landed: NonNullable<SubmissionIntent['landed']> }> {
  const { pollMs = POLL_MS, signal, onStep } = options;
  let current = intent;
  for (;;) {
    signal?.throwIfAborted();
    const [advanced] = await advance([current], options);
    if (advanced === undefined) throw new RangeError('advance gave nothing for an intent');
    onStep?.(advanced);
    current = advanced.intent;
    if (advanced.step.step === 'failed') throw failure(advanced.step.err);
    const { landed } = current;
    if (landed !== null) return { ...current, landed };
    try {
      await sleep(pollMs, undefined, signal === undefined ? {} : { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }
}

function failure(err: TransactionFailure): ChainRejected {
  return new ChainRejected('transaction-failed', `The memo's transaction is final and failed: ${JSON.stringify(err)}`);
}
