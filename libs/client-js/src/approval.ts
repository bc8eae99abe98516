import { CountersignError } from './errors.js';
import { membersOf, readRefusal, type CheckResult } from './result.js';
import { newIdempotencyKey, sleep } from './retry.js';
import type { Answer } from './transport.js';

/** State of an approval. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'consumed';

const STATES: ReadonlySet<unknown> = new Set<ApprovalState>(['pending', 'approved', 'denied', 'expired', 'consumed']);

/** Seconds for which the service holds one request for a decision. */
const LONGEST_WAIT_SECONDS = 30;
/** Time beyond that in which the answer must arrive. */
const ANSWER_MS = 5000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Reports whether a person can still approve the action of a denial. */
export function needsApproval(result: CheckResult): result is CheckResult & { readonly approvalId: string } {
  return !result.allowed && result.code === 'approval_pending' && result.approvalId !== undefined;
}

/**
 * Waits until an approval is decided or over, for at most `waitMs`. Failures are retried until then.
 * @param ask sends a GET request for a path
 * @returns the state; `pending` when the time is over, or where the service refuses to say it
 * @throws the signal's reason after a cancellation
 */
export async function untilDecided(
  ask: (path: string, timeoutMs: number) => Promise<Answer>,
  approvalId: string,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<ApprovalState> {
  const endsAt = performance.now() + waitMs;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) return 'pending';
    const seconds = Math.min(LONGEST_WAIT_SECONDS, Math.ceil(leftMs / 1000));
    const askedAt = performance.now();
    let retryAfterMs = 0;
    try {
      const path = `/v1/approvals/${encodeURIComponent(approvalId)}?wait=${seconds}`;
      const state = stateIn(await ask(path, Math.min(leftMs, seconds * 1000 + ANSWER_MS)));
      if (state !== 'pending') return state;
      // An answer before its time must not become a loop without pauses.
      if (performance.now() - askedAt >= FIRST_PAUSE_MS) pauseMs = 0;
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      if (!error.isUnavailable && error.details.status !== 429) return 'pending';
      retryAfterMs = error.details.retryAfterMs ?? 0;
    }
    await sleep(Math.min(Math.max(pauseMs, retryAfterMs), Math.max(0, endsAt - performance.now())), signal);
    pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2));
  }
}

/** Checks after an approval, and the pause after the first. */
const CHECKS_AFTER_APPROVAL = 6;
const FIRST_CHECK_PAUSE_MS = 100;

/**
 * The result of the check after an approval. A gateway learns of a decision a moment after it was made: while one still calls
 * the approval pending, the action is checked again, at most five times within 3.1 seconds.
 * @param check checks with the key of an attempt, from 1
 * @throws as `check`; the signal's reason after a cancellation
 */
export async function onceKnown(
  check: (attempt: number) => Promise<CheckResult>,
  approvalId: string,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  for (let attempt = 1; ; attempt++) {
    const result = await check(attempt);
    const isBehind = needsApproval(result) && result.approvalId === approvalId;
    if (!isBehind || attempt === CHECKS_AFTER_APPROVAL) return result;
    await sleep(FIRST_CHECK_PAUSE_MS * 2 ** (attempt - 1), signal);
  }
}

/** Key of a check after an approval: the same for a repetition of the same call, so that it counts once. */
export function keyAfterApproval(idempotencyKey: string, approvalId: string, attempt: number): string {
  const key = `${approvalId}.${attempt}.${idempotencyKey}`;
  return key.length <= 255 ? key : newIdempotencyKey();
}

/** @throws CountersignError if the answer does not say it */
function stateIn(answer: Answer): ApprovalState {
  if (answer.status !== 200) throw readRefusal(answer);
  const { state } = membersOf(answer);
  if (STATES.has(state)) return state as ApprovalState;
  throw new CountersignError('invalid_response', 'the answer is not one of the service: it names no state', {
    status: answer.status,
  });
}
