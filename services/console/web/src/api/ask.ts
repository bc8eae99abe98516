/** An answer other than success; `status` 0: no answer at all. */
export class AskError extends Error {
  override readonly name = 'AskError';
  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string | null,
    /** Of `Retry-After`, seconds. */
    readonly retryAfter: number | null,
    /** The whole answer, where it is JSON. */
    readonly body: unknown = null,
  ) {
    super(message);
  }
}

export interface AskOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** Members without a value are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly signal?: AbortSignal;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is sent even if the page is closed meanwhile. */
  readonly keepalive?: boolean;
}

/** @param path of a route, with a slash at its beginning: the address is relative to the page, as a proxy may add a path */
export function addressOf(path: string, query: AskOptions['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return path.slice(1) + (text === '' ? '' : `?${text}`);
}

/**
 * Sends a request to the API with the session cookie.
 * @returns the JSON body; `undefined` for an answer without one
 * @throws AskError
 */
export async function ask<T>(path: string, options: AskOptions = {}): Promise<T> {
  return parsed(await (await answerOf(path, options)).text()) as T;
}

/**
 * As `ask`, for an answer that is a file: its bytes are not read as JSON here.
 * @throws AskError
 */
export async function askFile(path: string, options: AskOptions = {}): Promise<AnsweredFile> {
  const response = await answerOf(path, options);
  return { content: await response.blob(), headers: response.headers };
}

/**
 * The body of an answer that goes on: its pieces as they come.
 * @throws AskError
 */
export async function askStream(path: string, options: AskOptions): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { body } = await answerOf(path, options);
  if (body === null) throw new AskError(0, 'The server sent nothing.', null, null);
  return body;
}

export interface AnsweredFile {
  readonly content: Blob;
  readonly headers: Headers;
}

/** The answer, if it is a success. @throws AskError */
async function answerOf(
  path: string,
  { method = 'GET', body, query, signal, accept, headers: more, keepalive = false }: AskOptions,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(addressOf(path, query), {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      keepalive,
      headers: {
        'x-countersign-console': '1',
        ...(accept === undefined ? {} : { accept }),
        ...more,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new AskError(0, 'The server cannot be reached.', null, null);
  }
  if (response.ok) return response;
  const found = parsed(await response.text());
  const { headers, status } = response;
  const seconds = Number(headers.get('retry-after') ?? NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : null;
  throw new AskError(status, messageOf(found), headers.get('x-request-id'), retryAfter, found);
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'string' ? error : 'The server gave no reason.';
}
