import type { IncomingHttpHeaders } from 'node:http';
import type { SessionCookieName } from '@countersign/http-edge';
import { FLOW_SECONDS } from '../single-sign-on/sign-in-flow.js';

/** The names of the cookie of a sign-in under way, by that of the session that it opens: both have the same prefix. */
const NAMES: Readonly<Record<SessionCookieName, string>> = {
  '__Host-csn_session': '__Host-csn_sign_in',
  csn_session: 'csn_sign_in',
};

/** Sent with the return from the provider, which a page of another site starts: hence `Lax`. */
export function setFlowCookie(session: SessionCookieName, value: string): string {
  const secure = session === '__Host-csn_session' ? '; Secure' : '';
  return `${NAMES[session]}=${value}; Path=/; Max-Age=${FLOW_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/** @returns `null` if the browser sent none, or several */
export function flowCookieOf({ cookie = '' }: IncomingHttpHeaders, session: SessionCookieName): string | null {
  const values = cookie.split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return name === NAMES[session] ? [value.join('=')] : [];
  });
  return values.length === 1 ? values[0]! : null;
}
