import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { hostOf, isAllowedHost, readPublicUrl } from './public-url.js';

/** Result of an attempt: `status` of the HTTP or SMTP answer; `error` as text, `null` if the message was accepted. */
export interface Sent {
  readonly status: number | null;
  readonly error: string | null;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface OutboundNetwork {
  /** `host:port` each: exempt from the address check and from TLS. */
  readonly allowedHosts: readonly string[];
  /** Returns every address of a name. */
  readonly resolve: (host: string) => Promise<readonly Address[]>;
  /** From the first packet to the end of the answer, ms. */
  readonly timeoutMs: number;
}

/** Of an answer: its headers, and its body where that is not read. */
export const MAX_ANSWER_BYTES = 16_384;

export const resolveAll = (host: string): Promise<readonly Address[]> => lookup(host, { all: true, verbatim: true });

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
  let address: Address;
  try {
    address = await checkedAddress(url, network);
  } catch (error) {
    const why = error instanceof NotReachable ? error.message : 'the host name does not resolve';
    return { status: null, error: why, answer: null };
  }
  return send(url, address, asked, network.timeoutMs, mostBytes);
}

class NotReachable extends Error {
  override readonly name = 'NotReachable';
}

async function checkedAddress(url: URL, { allowedHosts, resolve, timeoutMs }: OutboundNetwork): Promise<Address> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await inTime(resolve(host), timeoutMs) : [{ address: host, family }];
  const [first] = addresses;
  if (first === undefined) throw new NotReachable('the host name does not resolve');
  if (!isAllowedHost(url, allowedHosts) && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new NotReachable('the host has an address that is not public');
  }
  return first;
}

function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NotReachable('the host name did not resolve in time')), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function send(
  url: URL,
  { address, family }: Address,
  { headers, body }: OutboundRequest,
  timeoutMs: number,
  mostBytes: number,
): Promise<Answered> {
  const pinned: LookupFunction = (_host, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: body === undefined ? 'GET' : 'POST',
      agent: false,
      lookup: pinned,
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
      resolve({ ...(answered ?? { status: null, error: safeMessage(error) }), answer });
    });
    if (body === undefined) request.end();
    else request.end(body);
  });
}

/** Not the driver's message, which contains addresses. */
function safeMessage(error: Error & { readonly code?: string }): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time';
  const code = error.code ?? '';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (/^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code)) return 'no trusted TLS connection';
  return 'the connection failed';
}
