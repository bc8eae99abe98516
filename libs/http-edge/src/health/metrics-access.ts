import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { HttpRefusal } from '../edge/http-contract.js';

/** Host names by which a client addresses this machine itself; a proxy passes its public name. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** Headers that a proxy adds: the client may then be on another machine. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/**
 * Admits a scraper of `/metrics`: with a token, a client that sends it as bearer token; without one, a client on this
 * machine whose `Host` names this machine.
 * @param token `COUNTERSIGN_METRICS_TOKEN`; `null`: not set
 * @throws HttpRefusal 401
 */
export function requireScraper(request: IncomingMessage, token: string | null): void {
  if (token === null ? isFromHere(request) : sends(request, token)) return;
  const how =
    token === null
      ? 'figures are for this machine, by http://127.0.0.1 or http://localhost: set COUNTERSIGN_METRICS_TOKEN to scrape them from elsewhere'
      : 'send the token of COUNTERSIGN_METRICS_TOKEN as Authorization: Bearer';
  throw new HttpRefusal(401, how, { 'www-authenticate': 'Bearer' });
}

function isFromHere({ socket, headers, httpVersionMinor }: IncomingMessage): boolean {
  // By default nginx sends its upstream's address as Host and adds no header of its own.
  if (httpVersionMinor === 0) return false;
  if (!LOOPBACK_HOST.test(headers.host ?? '')) return false;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

function sends({ headers }: IncomingMessage, token: string): boolean {
  const sent = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(sent), hash(token));
}
