import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { HttpRefusal } from '../edge/http-contract.js';

/** How a client names this machine; a proxy of a public name hands that name on. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** A proxy adds one of them: the caller is not this machine then. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/**
 * Lets a scraper of `/metrics` pass: with a token the caller that sends it as bearer, without one a caller on this machine
 * that names it in `Host` as this machine.
 * @param token `COUNTERSIGN_METRICS_TOKEN`, `null` where none is set
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
  // As nginx asks unless it is told otherwise, with its upstream's address as Host and no header of its own.
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
