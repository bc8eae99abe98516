import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { checkedAddress, pinned, type Address, type OutboundNetwork } from './checked-address.js';
import { connectionProblem } from './connection-problem.js';
import { readPublicUrl } from './public-url.js';

/** Result of an attempt: `status` of the HTTP or SMTP answer; `error` as text, `null` if the message was accepted. */
export interface Sent {
  readonly status: number | null;
  readonly error: string | null;
}

/** Of an answer: its headers, and its body where that is not read. */
export const MAX_ANSWER_BYTES = 16_384;

/** A request: with a body it is a POST unless its method is given, without one a GET. */
export interface OutboundRequest {
  readonly method?: 'PUT';
  /** With a body, its content type as well. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** As {@link Sent}; `answer`: body of the answer, `null` if there was none, or it was not whole or too long. */
export interface Answered extends Sent {
  readonly answer: string | null;
  /** How long the host asks to wait (RFC 9110, section 10.2.3), ms; `null`: it does not. */
  readonly retryAfterMs: number | null;
  /** Of the answer; empty if there was none. */
  readonly headers: IncomingHttpHeaders;
}

/**
 * Sends one request. The name is resolved once; if any of its addresses is not public, nothing is sent. The connection uses the
 * address that was checked. Redirects are not followed. Never rejects.
 * @param mostBytes of the answer that are read
 */
export async function sendHttp(
  destination: string,
  asked: OutboundRequest,
  network: OutboundNetwork,
  mostBytes: number,
): Promise<Answered> {
  const read = readPublicUrl(destination, network.allowedHosts);
  if ('problem' in read) return unsent(read.problem);
  const { url } = read;
  const checked = await checkedAddress(url, network);
  if ('problem' in checked) return unsent(checked.problem);
  return send(url, checked.address, asked, network.timeoutMs, mostBytes);
}

function unsent(error: string): Answered {
  return { status: null, error, answer: null, retryAfterMs: null, headers: {} };
}

function retryAfterOf(header: string | undefined): number | null {
  const ms = /^\d{1,9}$/.test(header ?? '') ? Number(header) * 1_000 : Date.parse(header ?? '') - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function send(
  url: URL,
  address: Address,
  { method, headers, body }: OutboundRequest,
  timeoutMs: number,
  mostBytes: number,
): Promise<Answered> {
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      agent: false,
      lookup: pinned(address),
      maxHeaderSize: MAX_ANSWER_BYTES,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        connection: 'close',
      },
    });
    let answered: Omit<Answered, 'answer'> | null = null;
    let answer: string | null = null;
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const error = status >= 200 && status < 300 ? null : `the host answered ${status}`;
      const { headers: given } = response;
      answered = { status, error, retryAfterMs: retryAfterOf(given['retry-after']), headers: given };
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) response.destroy();
        else chunks.push(chunk);
      });
      response.on('end', () => {
        answer = Buffer.concat(chunks).toString();
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve({ ...answered!, answer }));
    });
    // The status decides, even if the rest of the answer breaks off.
    request.on('error', (error) => {
      resolve({ ...(answered ?? unsent(connectionProblem(error))), answer });
    });
    if (body === undefined) request.end();
    else request.end(body);
  });
}
