import { request as httpRequest } from 'node:http';
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

/** A request: with a body it is a POST, without one a GET. */
export interface OutboundRequest {
  /** With a body, its content type as well. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As {@link Sent}; `answer`: body of the answer, `null` if there was none, or it was not whole or too long. */
export interface Answered extends Sent {
  readonly answer: string | null;
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
  if ('problem' in read) return { status: null, error: read.problem, answer: null };
  const { url } = read;
  const checked = await checkedAddress(url, network);
  if ('problem' in checked) return { status: null, error: checked.problem, answer: null };
  return send(url, checked.address, asked, network.timeoutMs, mostBytes);
}

function send(
  url: URL,
  address: Address,
  { headers, body }: OutboundRequest,
  timeoutMs: number,
  mostBytes: number,
): Promise<Answered> {
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: body === undefined ? 'GET' : 'POST',
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
    let answered: Sent | null = null;
    let answer: string | null = null;
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      answered = { status, error: status >= 200 && status < 300 ? null : `the host answered ${status}` };
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
      response.on('close', () => resolve({ ...(answered as Sent), answer }));
    });
    // The status decides, even if the rest of the answer breaks off.
    request.on('error', (error) => {
      resolve({ ...(answered ?? { status: null, error: connectionProblem(error) }), answer });
    });
    if (body === undefined) request.end();
    else request.end(body);
  });
}
