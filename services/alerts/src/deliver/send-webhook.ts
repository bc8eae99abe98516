import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { hostOf, isAllowedHost, readWebhookUrl } from './webhook-url.js';

/** How a try ended. `status` of the HTTP or SMTP answer, `error` in plain words, `null` where it was taken. */
export interface Sent {
  readonly status: number | null;
  readonly error: string | null;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface WebhookNetwork {
  /** `host:port` each: reached whatever they are, also without TLS. */
  readonly allowedHosts: readonly string[];
  /** Every address of a name. */
  readonly resolve: (host: string) => Promise<readonly Address[]>;
  /** From the first packet to the end of the answer, ms. */
  readonly timeoutMs: number;
}

/** Answers are read for the connection's sake alone. */
const MAX_ANSWER_BYTES = 16_384;

export const resolveAll = (host: string): Promise<readonly Address[]> => lookup(host, { all: true, verbatim: true });

/**
 * POSTs a message once. The name is resolved once; where any of its addresses is not public nothing is sent, and the
 * connection goes to the very address that was checked. Redirects are not followed; nothing of the answer is kept but
 * its status. Never rejects.
 */
export async function sendWebhook(
  destination: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  network: WebhookNetwork,
): Promise<Sent> {
  const read = readWebhookUrl(destination, network.allowedHosts);
  if ('problem' in read) return { status: null, error: read.problem };
  const { url } = read;
  let address: Address;
  try {
    address = await checkedAddress(url, network);
  } catch (error) {
    return { status: null, error: error instanceof NotReachable ? error.message : 'the host name does not resolve' };
  }
  return post(url, address, body, headers, network.timeoutMs);
}

class NotReachable extends Error {
  override readonly name = 'NotReachable';
}

async function checkedAddress(url: URL, { allowedHosts, resolve, timeoutMs }: WebhookNetwork): Promise<Address> {
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

function post(
  url: URL,
  { address, family }: Address,
  body: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Sent> {
  const pinned: LookupFunction = (_host, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: false,
      lookup: pinned,
      maxHeaderSize: MAX_ANSWER_BYTES,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Countersign-Webhooks/1',
        connection: 'close',
      },
    });
    let answered: Sent | null = null;
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      answered = { status, error: status >= 200 && status < 300 ? null : `the host answered ${status}` };
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) response.destroy();
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve(answered as Sent));
    });
    // The status is the answer, also where the rest of it breaks off.
    request.on('error', (error) => resolve(answered ?? { status: null, error: wordsFor(error) }));
    request.end(body);
  });
}

/** Never the driver's own words, which tell of addresses. */
function wordsFor(error: Error & { readonly code?: string }): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time';
  const code = error.code ?? '';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (/^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code)) return 'no trusted TLS connection';
  return 'the connection failed';
}
