import type { ApiKeyFacts } from '@countersign/contracts';
import { isWellFormedApiKey } from '@countersign/process';
import { headerValues, readSessionHeader } from './credential-headers.js';

const API_KEY = /^csn_live_/;
const API_KEY_LENGTH = 49;
const JSON_WEB_TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;
/** Headers by which other APIs take a key. */
const OTHER_HEADERS = ['x-api-key', 'api-key', 'apikey', 'x-service-token', 'x-auth-token'];

const SEND_KEY = 'send the API key as x-service-key: <key>, or as Authorization: Bearer <key>';
const ISSUE = 'an admin issues another one by POST /v1/api-keys';
const LOG_IN = 'send the token of POST /v1/auth/login as Authorization: Bearer <token>';

/** The request has an API key, or what looks like one, in a header of API keys. */
export function sendsApiKey(rawHeaders: readonly string[]): boolean {
  return headerValues(rawHeaders, 'x-service-key').length > 0 || API_KEY.test(readSessionHeader(rawHeaders) ?? '');
}

/**
 * Explains why a request has no API key that is known here: what was sent instead, or what is wrong with its text. The
 * answer never shows whether a similar key exists.
 * @param rawHeaders alternating names and values, as in `IncomingMessage.rawHeaders`
 */
export function apiKeyProblem(rawHeaders: readonly string[]): string {
  const keys = headerValues(rawHeaders, 'x-service-key');
  if (keys.length > 1) return 'x-service-key was sent twice: send one API key';
  if (keys.length === 1) return textProblem(keys[0]!);
  const authorizations = headerValues(rawHeaders, 'authorization');
  if (authorizations.length > 1) return `Authorization was sent twice: ${SEND_KEY}`;
  if (authorizations.length === 1) {
    const token = readSessionHeader(rawHeaders);
    if (token !== null) return textProblem(token);
    if (!API_KEY.test(authorizations[0]!)) return `Authorization is not "Bearer <key>": ${SEND_KEY}`;
    return 'Authorization holds an API key without "Bearer": send Authorization: Bearer <key>, or x-service-key: <key>';
  }
  const other = OTHER_HEADERS.find((name) => headerValues(rawHeaders, name).length > 0);
  return other === undefined ? `no API key was sent: ${SEND_KEY}` : `${other} is not read: ${SEND_KEY}`;
}

function textProblem(text: string): string {
  if (text === '') return `x-service-key is empty: ${SEND_KEY}`;
  if (JSON_WEB_TOKEN.test(text)) return `a session token was sent, and this route takes an API key: ${SEND_KEY}`;
  if (!API_KEY.test(text)) return 'what was sent is not an API key: one begins with csn_live_';
  if (text.length !== API_KEY_LENGTH) {
    return `the API key has ${text.length} characters instead of ${API_KEY_LENGTH}: it was cut, or something was added`;
  }
  if (!isWellFormedApiKey(text)) return 'the API key has a typo: its checksum does not match, copy it again';
  return `there is no such API key here: it may be of another instance; ${ISSUE}`;
}

/**
 * Explains why a key that was found by its whole text is refused now; `null` if it is not.
 * @param nowMs wall clock
 */
export function endedKeyProblem(
  { revokedAt, expiresAt }: Pick<ApiKeyFacts, 'revokedAt' | 'expiresAt'>,
  nowMs: number,
): string | null {
  if (revokedAt !== null) return `this API key was revoked at ${revokedAt}: ${ISSUE}`;
  // An expiry that is not a time counts as passed.
  if (expiresAt === undefined || Date.parse(expiresAt) > nowMs) return null;
  return `this API key expired at ${expiresAt}: ${ISSUE}`;
}

/**
 * Explains why a request has no session that is known here.
 * @param fromCookie a token was read from the session cookie
 */
export function sessionProblem(rawHeaders: readonly string[], fromCookie = false): string {
  if (fromCookie) return 'the session is not known, or it has ended: sign in again';
  const token = readSessionHeader(rawHeaders);
  if (token !== null && !API_KEY.test(token)) return `the session is not known, or it has ended: ${LOG_IN}`;
  const hasKey = token !== null || headerValues(rawHeaders, 'x-service-key').length > 0;
  if (hasKey) return `an API key is not accepted on this route: ${LOG_IN}`;
  return `no session was sent: ${LOG_IN}`;
}
