import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly stream: IncomingMessage;
}

/** Sends a request on a new connection; resolves with the head of the answer. */
export function open(
  baseUrl: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      new URL(path, baseUrl),
      {
        method,
        agent: false,
        headers: { ...headers, ...(text === undefined ? {} : { 'content-type': 'application/json' }) },
      },
      (stream) => resolve({ status: stream.statusCode ?? 0, headers: stream.headers, stream }),
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

/** The parsed body of a successful answer. */
export async function json<T>(...request: Parameters<typeof open>): Promise<T> {
  const { status, stream } = await open(...request);
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (status >= 300) throw new Error(`${request[1]} ${request[2]}: ${status} ${text}`);
  return JSON.parse(text) as T;
}
