import { CountersignError } from './errors.js';

export interface Tries {
  /** Number of retries. */
  readonly retries: number;
  /** Milliseconds for all attempts and the delays between them. */
  readonly timeoutMs: number;
  /** Milliseconds for one attempt. */
  readonly attemptTimeoutMs: number;
  /** Address of the service, for messages. */
  readonly address: string;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_WAIT_MS = 50;

/**
 * Calls `attempt`, and retries while there is no decision and time is left: after 50 ms, then twice as long each time, with
 * jitter of one half, or after the delay that the service names. `attempt` must be safe to repeat.
 * @throws the last error of `attempt`; the signal's reason after a cancellation
 */
export async function withRetries<T>(attempt: (timeoutMs: number) => Promise<T>, tries: Tries): Promise<T> {
  const { retries, timeoutMs, attemptTimeoutMs, signal } = tries;
  const startedAt = performance.now();
  const endsAt = startedAt + timeoutMs;
  let timedOut = 0;
  for (let n = 0; ; n++) {
    const left = endsAt - performance.now();
    try {
      return await attempt(Math.max(1, Math.min(attemptTimeoutMs, left)));
    } catch (error) {
      if (!(error instanceof CountersignError) || !error.isUnavailable) throw error;
      if (error.code === 'timeout') timedOut += 1;
      const backoff = FIRST_WAIT_MS * 2 ** n * (0.5 + Math.random() / 2);
      const wait = Math.max(backoff, error.details.retryAfterMs ?? 0);
      if (n >= retries || performance.now() + wait >= endsAt) {
        throw summed(error, n + 1, timedOut, performance.now() - startedAt, tries.address);
      }
      await sleep(wait, signal);
    }
  }
}

/** The last error of a call, with a message for all its attempts. */
function summed(
  error: CountersignError,
  attempts: number,
  timedOut: number,
  totalMs: number,
  address: string,
): CountersignError {
  const { code, message, details } = error;
  if (code === 'unreachable')
    return new CountersignError(code, `${message}. Does Countersign run at ${address}?`, details);
  if (code !== 'timeout') return error;
  const which = attempts === timedOut ? `${attempts}` : `${timedOut} of ${attempts}`;
  const words = `${which} ${attempts === 1 ? 'attempt' : 'attempts'} timed out (${(totalMs / 1000).toFixed(1)} s total)`;
  return new CountersignError(code, `${words}. Is ${address} reachable?`, details);
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}

let made = 0;

/** A unique key. It is not a secret: without random UUIDs on the platform, it consists of time, random digits and a counter. */
export function newIdempotencyKey(): string {
  const { crypto } = globalThis as { readonly crypto?: { randomUUID?: () => string } };
  const uuid = crypto?.randomUUID?.();
  if (uuid !== undefined) return uuid;
  const random = (): string => Math.random().toString(36).slice(2);
  return `${Date.now().toString(36)}-${(made++).toString(36)}-${random()}${random()}`;
}
