import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; `undefined` if there is none or it is not JSON. */
  readonly json: unknown;
  /** Answers that asked for the request again came before it: what it asks for may have been done by one of those. */
  readonly isRepetition?: true;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Uint8Array;
}

/** The connection ended, or was never established, before the answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Error code of the operating system: `ECONNRESET`, `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(
    readonly onUsedConnection: boolean,
    cause: Error & { code?: string },
  ) {
    super(`${cause.message} on a connection that was ${onUsedConnection ? 'used before' : 'new'}`, { cause });
    this.code = cause.code;
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 });
/** Takes any certificate: tests issue them to themselves. */
const tlsAgent = new TlsAgent({ keepAlive: true, maxSockets: 512, rejectUnauthorized: false });

export function send(baseUrl: string, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  return new Promise((resolve, reject) => {
    const url = new URL(path, baseUrl);
    const withTls = url.protocol === 'https:';
    const outgoing = (withTls ? httpsRequest : httpRequest)(
      url,
      {
        method,
        agent: withTls ? tlsAgent : agent,
        headers: {
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
          ...(options.headers as Record<string, string | string[]>),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
        });
      },
    );
    outgoing.on('error', (error: Error & { code?: string }) => reject(new NoAnswer(outgoing.reusedSocket, error)));
    outgoing.end(payload);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Repeats a request, as clients do, for as long as its answer asks for that; gives the last answer after 30 s. */
export async function repeated(request: () => Promise<Answer>): Promise<Answer> {
  const until = Date.now() + 30_000;
  for (let isRepetition = false; ; isRepetition = true) {
    const answer = await request();
    if (!asksAgain(answer) || Date.now() > until) return isRepetition ? { ...answer, isRepetition } : answer;
    await sleep(500);
  }
}

/** Not of a check: its answer has a reason. */
function asksAgain({ status, json }: Answer): boolean {
  const { error } = (json ?? {}) as { readonly error?: unknown };
  return status === 503 && typeof error === 'string' && /\b(?:try|ask) again$/u.test(error);
}

/** Polls until `probe` resolves to a value; throws after `seconds`. */
export async function eventually<T>(what: string, seconds: number, probe: () => Promise<T | null>): Promise<T> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found !== null) return found;
    if (Date.now() > until) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(50);
  }
}
