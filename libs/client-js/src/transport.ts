import { CountersignError } from './errors.js';

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly eventId?: string;
  readonly coverage?: 'governed' | 'none';
  readonly wouldDeny?: string;
  readonly idempotentReplay?: true;
  readonly retryAfterMs?: number;
}

export interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `null`: a GET request. */
  readonly body: string | null;
  /** Milliseconds until the answer is complete. */
  readonly timeoutMs: number;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
}

/** The used part of the platform's `fetch`, which keeps connections alive. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A request that was sent. */
export interface Exchange {
  /** Rejects if there is no answer, and after `leave`. */
  readonly answer: Promise<Answer>;
  readonly leave: () => void;
}

/** Longer than any answer of the service. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends one request. Redirects are not followed, so that the key is sent to no other address.
 * @throws CountersignError `timeout`, `unreachable`, or `invalid_response` for an answer of more than 1 MiB; the signal's
 * reason after a cancellation
 */
export function sendBy(fetch: Fetch, request: Request): Promise<Answer> {
  return withinTime(request, () => {
    const ends = new AbortController();
    return { answer: fetched(fetch, request, ends.signal), leave: () => ends.abort() };
  });
}

/**
 * The answer of an exchange, which is abandoned after its timeout or when the caller cancels. The promise settles then, even if
 * the exchange never does.
 * @throws as {@link sendBy}
 */
export async function withinTime({ timeoutMs, signal }: Request, send: () => Exchange): Promise<Answer> {
  signal?.throwIfAborted();
  let late = false;
  let end = (): void => undefined;
  const ended = new Promise<never>((_answer, reject) => (end = () => reject(new Error('the request was left'))));
  const timer = setTimeout(
    () => {
      late = true;
      end();
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  signal?.addEventListener('abort', end, { once: true });
  let leave = (): void => undefined;
  try {
    const exchange = send();
    leave = exchange.leave;
    return await Promise.race([exchange.answer, ended]);
  } catch (cause) {
    leave();
    signal?.throwIfAborted();
    if (cause instanceof CountersignError) throw cause;
    if (late) throw new CountersignError('timeout', `no answer within ${Math.round(timeoutMs)} ms`, { cause });
    throw new CountersignError('unreachable', `the service cannot be reached: ${wordsOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

async function fetched(fetch: Fetch, { url, headers, body }: Request, signal: AbortSignal): Promise<Answer> {
  const sent = body === null ? { method: 'GET' } : { method: 'POST', body };
  const response = await fetch(url, { ...sent, headers, redirect: 'manual', signal });
  const text = await textOf(response);
  return { status: response.status, text, ...said((name) => response.headers.get(name)) };
}

async function textOf(response: Response): Promise<string> {
  const { status, body } = response;
  // Platforms without streams have only the whole text.
  const reader = (body as Partial<ReadableStream<Uint8Array>> | null)?.getReader?.();
  if (reader === undefined) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (isTooLong(bytes)) throw tooLong(status);
    text += decoder.decode(value, { stream: true });
  }
}

export function isTooLong(bytes: number): boolean {
  return bytes > MAX_ANSWER_BYTES;
}

export function tooLong(status: number): CountersignError {
  return new CountersignError('invalid_response', 'the answer is not one of the service: it is too long', { status });
}

/** Members of an answer that come from its headers. */
export function said(header: (name: string) => string | null | undefined): Omit<Answer, 'status' | 'text'> {
  const eventId = header('x-event-id') ?? null;
  const coverage = header('x-policy-coverage');
  const wouldDeny = header('x-would-deny') ?? null;
  const seconds = Number(header('retry-after') ?? NaN);
  return {
    ...(eventId === null ? {} : { eventId }),
    ...(coverage === 'governed' || coverage === 'none' ? { coverage } : {}),
    ...(wouldDeny === null ? {} : { wouldDeny }),
    ...(header('x-idempotent-replay') === 'true' ? { idempotentReplay: true as const } : {}),
    ...(seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {}),
  };
}

/** Errors of TLS for an unencrypted answer. */
const SPOKEN_HTTP = /wrong version number|packet length too long|record layer failure/iu;

/** Message of the cause, since `fetch failed` says nothing. Errors may be of another realm if a caller runs in `node:vm`. */
function wordsOf(error: unknown): string {
  const cause = (error as { readonly cause?: unknown } | null)?.cause;
  const words = messageOf(cause) ?? messageOf(error) ?? String(error);
  return SPOKEN_HTTP.test(words) ? 'the service speaks http here, and baseUrl says https' : words;
}

function messageOf(error: unknown): string | null {
  const { message, name } = (error ?? {}) as { readonly message?: unknown; readonly name?: unknown };
  return typeof message !== 'string' ? null : message !== '' ? message : typeof name === 'string' ? name : null;
}
