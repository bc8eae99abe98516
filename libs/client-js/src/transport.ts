import { CountersignError } from './errors.js';

/** An answer as it came, read to its end. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly eventId?: string;
  readonly coverage?: 'governed' | 'none';
  readonly retryAfterMs?: number;
}

export interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the answer, read to its end. */
  readonly timeoutMs: number;
  /** The caller's own. */
  readonly signal?: AbortSignal | undefined;
}

/** What is used of the platform's `fetch`, which keeps connections for the next request. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends one POST request. Redirects are not followed: the key goes to no other address.
 * @throws CountersignError `timeout` or `unreachable`; the signal's reason where the caller gave up
 */
export async function post(fetch: Fetch, { url, headers, body, timeoutMs, signal }: Request): Promise<Answer> {
  signal?.throwIfAborted();
  const ends = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    ends.abort();
  }, timeoutMs);
  const leave = (): void => ends.abort();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ends.signal });
    return { status: response.status, text: await response.text(), ...said(response.headers) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (late) throw new CountersignError('timeout', `no answer within ${Math.round(timeoutMs)} ms`, { cause });
    throw new CountersignError('unreachable', `the service cannot be reached: ${wordsOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}

function said(headers: Headers): Omit<Answer, 'status' | 'text'> {
  const eventId = headers.get('x-event-id');
  const coverage = headers.get('x-policy-coverage');
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return {
    ...(eventId === null ? {} : { eventId }),
    ...(coverage === 'governed' || coverage === 'none' ? { coverage } : {}),
    ...(seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {}),
  };
}

/** `fetch failed` says nothing; what caused it does. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Error ? cause.message || cause.name : error.message;
}
