import { CountersignError } from './errors.js';

export interface Tries {
  /** How often it is tried again. */
  readonly retries: number;
  /** For all tries and the waits between them, milliseconds. */
  readonly timeoutMs: number;
  /** For one try, milliseconds. */
  readonly attemptTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_WAIT_MS = 50;

/**
 * What `attempt` gives, tried again where nothing was decided and time is left: after 50 ms, then twice as long each time,
 * half of it by chance, or when the service says. `attempt` must be safe to repeat.
 * @throws the last error of `attempt`; the signal's reason where the caller gave up
 */
export async function withRetries<T>(attempt: (timeoutMs: number) => Promise<T>, tries: Tries): Promise<T> {
  const { retries, timeoutMs, attemptTimeoutMs, signal } = tries;
  const endsAt = performance.now() + timeoutMs;
  for (let n = 0; ; n++) {
    const left = endsAt - performance.now();
    try {
      return await attempt(Math.max(1, Math.min(attemptTimeoutMs, left)));
    } catch (error) {
      if (!(error instanceof CountersignError) || !error.isUnavailable || n >= retries) throw error;
      const backoff = FIRST_WAIT_MS * 2 ** n * (0.5 + Math.random() / 2);
      const wait = Math.max(backoff, error.details.retryAfterMs ?? 0);
      if (performance.now() + wait >= endsAt) throw error;
      await sleep(wait, signal);
    }
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
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

/** A key that no other call uses. Not a secret: where the platform has no random UUIDs, time, chance and a count will do. */
export function newIdempotencyKey(): string {
  const { crypto } = globalThis as { readonly crypto?: { randomUUID?: () => string } };
  const uuid = crypto?.randomUUID?.();
  if (uuid !== undefined) return uuid;
  const random = (): string => Math.random().toString(36).slice(2);
  return `${Date.now().toString(36)}-${(made++).toString(36)}-${random()}${random()}`;
}
