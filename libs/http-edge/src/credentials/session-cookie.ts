import type { IncomingHttpHeaders } from 'node:http';

/** Name of the session cookie where the console is opened by https: a browser accepts it with `Secure` and `Path=/` only. */
export const SECURE_COOKIE = '__Host-csn_session';
/** Name of the session cookie on this machine, by plain http. */
export const LOOPBACK_COOKIE = 'csn_session';
export type SessionCookieName = typeof SECURE_COOKIE | typeof LOOPBACK_COOKIE;

/** Required with the cookie on every method but `GET` and `HEAD`: a form or a page of another origin cannot send it. */
export const CONSOLE_HEADER = 'x-countersign-console';

/** A host that a browser resolves to this machine: loopback addresses, and `localhost` with its subdomains (RFC 6761). */
const LOOPBACK_HOST = /^(?:(?:[a-z\d-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Values of the session cookie, in the order of the header. The name without `__Host-` counts only on this machine, since
 * a sibling domain could set it elsewhere.
 */
export function sessionCookies({ cookie = '', host = '' }: IncomingHttpHeaders): readonly string[] {
  const names: readonly string[] = LOOPBACK_HOST.test(host) ? [SECURE_COOKIE, LOOPBACK_COOKIE] : [SECURE_COOKIE];
  return cookie.split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return names.includes(name) ? [value.join('=')] : [];
  });
}

/**
 * True if a browser sent the request for a page of this service: by `Sec-Fetch-Site`, or by `Origin` where the browser
 * sends no fetch metadata.
 * @param publicUrl `COUNTERSIGN_PUBLIC_URL`; `null`: not set
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicUrl: string | null): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return origin === `http://${host}` || origin === `https://${host}` || origin === originOf(publicUrl);
}

/**
 * Name of the cookie for a session that is opened at the host of the request.
 * @param publicUrl `COUNTERSIGN_PUBLIC_URL`; `null`: not set
 * @returns `null` at a host that is neither that of an https `publicUrl` nor this machine: no cookie is issued there
 */
export function cookieNameAt(
  { host = '', origin }: IncomingHttpHeaders,
  publicUrl: string | null,
): SessionCookieName | null {
  const own = originOf(publicUrl);
  if (own?.startsWith('https://') === true && (origin === own || originOf(`https://${host}`) === own)) {
    return SECURE_COOKIE;
  }
  return LOOPBACK_HOST.test(host) ? LOOPBACK_COOKIE : null;
}

/** @param seconds lifetime; 0 removes the cookie */
export function setCookie(name: SessionCookieName, value: string, seconds: number): string {
  const secure = name === SECURE_COOKIE ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null;
}
