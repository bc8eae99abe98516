import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endLingering } from './unread-body.js';

/** Reason to refuse a request by its head alone. */
export interface HeadProblem {
  readonly status: 400 | 501;
  readonly error: string;
}

/** `uri-host [":" port]` of RFC 3986 section 3.2; empty if the target has no authority. */
const HOST = /^(?:\[[0-9A-Za-z:.~_-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d*)?$/;

const problem = (status: 400 | 501, error: string): HeadProblem => ({ status, error });

/**
 * Refuses heads that RFC 9112 forbids and Node's parser accepts: no `Host` in HTTP/1.1, more than one, or a malformed one
 * (section 3.2); a transfer coding other than `chunked`, `chunked` more than once, any in HTTP/1.0 (section 6.1).
 * @param raw alternating names and values, as received
 */
export function headProblem(httpVersionMinor: number, raw: readonly string[]): HeadProblem | null {
  let host: string | null = null;
  let codings: string | null = null;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    // Most names differ in length already, which saves lower-casing them.
    if (name.length === 4 && name.toLowerCase() === 'host') {
      if (host !== null) return problem(400, 'send one Host header');
      host = raw[i + 1]!;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      codings = codings === null ? raw[i + 1]! : `${codings},${raw[i + 1]!}`;
    }
  }
  if (host === null && httpVersionMinor > 0) return problem(400, 'send a Host header');
  if (host !== null && !HOST.test(host))
    return problem(400, 'send a Host header that is a host, with or without a port');
  return codings === null || (codings === 'chunked' && httpVersionMinor > 0)
    ? null
    : codingProblem(httpVersionMinor, codings);
}

function codingProblem(httpVersionMinor: number, codings: string): HeadProblem | null {
  if (httpVersionMinor === 0) return problem(400, 'HTTP/1.0 has no Transfer-Encoding');
  const named = codings
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '');
  if (named.some((coding) => coding !== 'chunked')) {
    return problem(501, 'send the body without a transfer coding other than chunked');
  }
  return named.length === 1 ? null : problem(400, 'name chunked once in Transfer-Encoding');
}

const closing = new WeakSet<Socket>();

/** Connections on which a head was refused: everything that follows on them is ignored. */
export function isRefused(socket: Socket): boolean {
  return closing.has(socket);
}

/**
 * Answers a request whose head is refused, and closes its connection, since the beginning of the next one is uncertain.
 * @returns true if the request needs no other answer
 */
export function refuseHead(request: IncomingMessage, response: ServerResponse): boolean {
  if (closing.has(request.socket)) return true;
  const refused = headProblem(request.httpVersionMinor, request.rawHeaders);
  if (refused === null) return false;
  closing.add(request.socket);
  const body = JSON.stringify({ error: refused.error });
  response.writeHead(refused.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.write(body);
  endLingering(request, response);
  return true;
}
