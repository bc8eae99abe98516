import type { IncomingMessage } from 'node:http';
import { headerValues, readSessionHeader } from './credential-headers.js';
import { CONSOLE_HEADER, isFromOwnPage, sessionCookies } from './session-cookie.js';

export type SessionRequest = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;

/** The token of a request, or the reason why a cookie that was sent does not count. */
export type SessionCredential = { readonly token: string | null } | { readonly problem: string };

const OTHER_PAGE = 'a session cookie counts only for requests of this service’s own pages';

/**
 * Returns the session token of a request: `Authorization: Bearer`, sent once. Without that header it is the session cookie,
 * which counts only if it is sent once and by a page of this service, and, where the method may change something, with
 * `x-countersign-console: 1`.
 * @param publicUrl `COUNTERSIGN_PUBLIC_URL`; `null`: not set
 */
export function readSession(
  { method, headers, rawHeaders }: SessionRequest,
  publicUrl: string | null,
): SessionCredential {
  if (headerValues(rawHeaders, 'authorization').length > 0) return { token: readSessionHeader(rawHeaders) };
  const [cookie, ...others] = sessionCookies(headers);
  if (cookie === undefined) return { token: null };
  if (others.length > 0) return { problem: 'the session cookie was sent twice: sign out, or delete both' };
  if (!isFromOwnPage(headers, publicUrl)) return { problem: OTHER_PAGE };
  const reads = method === 'GET' || method === 'HEAD';
  if (!reads && headers[CONSOLE_HEADER] !== '1') return { problem: `send ${CONSOLE_HEADER}: 1 with a session cookie` };
  return { token: cookie };
}
