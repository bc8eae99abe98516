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

/** No answer of the service is as long. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** A timer that is set for longer goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends one POST request. Redirects are not followed: the key goes to no other address.
 * @throws CountersignError `timeout`, `unreachable`, or `invalid_response` for an answer of more than 1 MiB; the signal's
 * reason where the caller gave up
 */
export async function post(fetch: Fetch, { url, headers, body, timeoutMs, signal }: Request): Promise<Answer> {
  signal?.throwIfAborted();
  const ends = new AbortController();
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      ends.abort();
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  const leave = (): void => ends.abort();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ends.signal });
    return { status: response.status, text: await textOf(response), ...said(response.headers) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof CountersignError) {
      ends.abort();
      throw cause;
    }
    if (late) throw new CountersignError('timeout', `no answer within ${Math.round(timeoutMs)} ms`, { cause });
    throw new CountersignError('unreachable', `the service cannot be reached: ${wordsOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}

async function textOf(response: Response): Promise<string> {
  const { status, body } = response;
  // Platforms without streams give the whole text alone.
  const reader = (body as Partial<ReadableStream<Uint8Array>> | null)?.getReader?.();
  if (reader === undefined) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new CountersignError('invalid_response', 'the answer is not one of the service: it is too long', {
        status,
      });
    }
    text += decoder.decode(value, { stream: true });
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
