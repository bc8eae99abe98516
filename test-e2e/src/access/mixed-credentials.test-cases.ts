import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Instance } from '../instance/instance.js';
import type { RequestOptions } from '../instance/request.js';
import { idsOfNothing } from './belongings.js';
import { bodyOf } from './people.js';
import { ACCESS } from './routes.js';
import type { Access } from './routes.js';

type Sent = NonNullable<RequestOptions['headers']>;

interface Credentials {
  readonly key: string;
  readonly revoked: string;
  readonly token: string;
}

/** The text with its last but one character changed: an invalid checksum of a key, or signature of a token. */
const mistyped = (text: string): string => text.slice(0, -2) + (text.at(-2) === 'A' ? 'B' : 'A') + text.slice(-1);

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (token: string): string => `${base64url({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}.`;
const basic = (text: string): string => `Basic ${Buffer.from(`${text}:`).toString('base64')}`;

const INVALID_KEYS: Readonly<Record<string, (credentials: Credentials) => Sent>> = {
  'a session as x-service-key': ({ token }) => ({ 'x-service-key': token }),
  'a session as bearer': ({ token }) => ({ authorization: `Bearer ${token}` }),
  'a session as x-service-key with a right bearer': ({ key, token }) => ({
    'x-service-key': token,
    authorization: `Bearer ${key}`,
  }),
  'an empty x-service-key with a right bearer': ({ key }) => ({
    'x-service-key': '',
    authorization: `Bearer ${key}`,
  }),
  'a mistyped key': ({ key }) => ({ 'x-service-key': mistyped(key) }),
  'a mistyped key with a right bearer': ({ key }) => ({
    'x-service-key': mistyped(key),
    authorization: `Bearer ${key}`,
  }),
  'the right key as x-service-key twice': ({ key }) => ({ 'x-service-key': [key, key] }),
  'the right key as bearer twice': ({ key }) => ({ authorization: [`Bearer ${key}`, `Bearer ${key}`] }),
  'a bearer and another scheme': ({ key }) => ({ authorization: [`Bearer ${key}`, basic(key)] }),
  'the right key without a scheme': ({ key }) => ({ authorization: key }),
  'the right key by another scheme': ({ key }) => ({ authorization: basic(key) }),
  'a key with a word behind it': ({ key }) => ({ authorization: `Bearer ${key} more` }),
  'a revoked key': ({ revoked }) => ({ 'x-service-key': revoked }),
  'a key in a cookie': ({ key }) => ({ cookie: `x-service-key=${key}` }),
  'the cookie of the console': ({ token }) => ({
    cookie: `csn_session=${token}`,
    'sec-fetch-site': 'same-origin',
    'x-countersign-console': '1',
  }),
};

const INVALID_SESSIONS: Readonly<Record<string, (credentials: Credentials) => Sent>> = {
  'an API key as bearer': ({ key }) => ({ authorization: `Bearer ${key}` }),
  'an API key as x-service-key': ({ key }) => ({ 'x-service-key': key }),
  'a session as x-service-key': ({ token }) => ({ 'x-service-key': token }),
  'a session as x-service-key with an API key as bearer': ({ key, token }) => ({
    'x-service-key': token,
    authorization: `Bearer ${key}`,
  }),
  'the session twice': ({ token }) => ({ authorization: [`Bearer ${token}`, `Bearer ${token}`] }),
  'a session and an API key, both as bearer': ({ key, token }) => ({
    authorization: [`Bearer ${token}`, `Bearer ${key}`],
  }),
  'a session without a scheme': ({ token }) => ({ authorization: token }),
  'a session by another scheme': ({ token }) => ({ authorization: basic(token) }),
  'a session with another signature': ({ token }) => ({ authorization: `Bearer ${mistyped(token)}` }),
  'a session that says that it needs no signature': ({ token }) => ({ authorization: `Bearer ${unsigned(token)}` }),
  'a session in a cookie': ({ token }) => ({ cookie: `authorization=Bearer ${token}` }),
  'the cookie of the console, sent by a program': ({ token }) => ({ cookie: `csn_session=${token}` }),
  'the cookie of the console, sent for a page of another origin': ({ token }) => ({
    cookie: `csn_session=${token}`,
    'sec-fetch-site': 'same-site',
    'x-countersign-console': '1',
  }),
  'the cookie of the console twice': ({ token }) => ({
    cookie: `csn_session=${token}; csn_session=${token}`,
    'sec-fetch-site': 'same-origin',
    'x-countersign-console': '1',
  }),
};

/** Sends invalid credentials, in every form, to every route that requires some. */
export function mixedCredentials(instanceOf: () => Instance): void {
  let instance: Instance;
  let credentials: Credentials;
  beforeAll(async () => {
    instance = instanceOf();
    const session = await instance.session();
    const made = await instance.request('POST', '/v1/api-keys', { headers: session, body: { name: 'revoked' } });
    const { id, key: revoked } = bodyOf<{ id: string; key: string }>(made, 201);
    bodyOf(await instance.request('DELETE', `/v1/api-keys/${id}`, { headers: session }), 204);
    credentials = { key: instance.bootstrap.apiKey, revoked, token: session.authorization.slice('Bearer '.length) };
  }, 60_000);

  const unread = (route: string): { readonly method: string; readonly path: string } => {
    const [method = '', template = ''] = route.split(' ');
    return { method, path: template.replaceAll(/\{\w+\}/g, idsOfNothing().agent) };
  };
  const routesBy = (credential: (access: Access) => boolean): readonly string[] =>
    Object.keys(ACCESS).filter((route) => credential(ACCESS[route]!));
  const takesSession = ({ statuses }: Access): boolean => statuses.anonymous === 401 && statuses['the admin'] !== 401;
  const takesKey = ({ statuses }: Access): boolean => statuses.anonymous === 401 && statuses['the API key'] !== 401;
  const byKey = routesBy((access) => takesKey(access) && !takesSession(access));
  const bySession = routesBy((access) => takesSession(access) && access.statuses['the API key'] === 401);
  const byEither = routesBy((access) => takesSession(access) && access.statuses['the API key'] !== 401);

  it('are tested on every route that requires some', () => {
    // A route without credentials may refuse a wrong code of any caller with 401.
    const closed = routesBy(
      ({ statuses }) => statuses.anonymous === 401 && Object.values(statuses).some((status) => status !== 401),
    );
    expect([...byKey, ...bySession, ...byEither].sort()).toEqual([...closed].sort());
    expect(byKey.length).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.entries(INVALID_KEYS))('%s gets 401 on routes for API keys', async (_what, headersOf) => {
    for (const route of byKey) {
      const { method, path } = unread(route);
      // No body: credentials are judged before it.
      const { status, json } = await instance.request(method, path, { headers: headersOf(credentials) });
      expect([route, status, Object.keys(json as object)]).toEqual([route, 401, ['error']]);
    }
  });

  it.each(Object.entries(INVALID_SESSIONS))('%s gets 401 on routes for sessions', async (_what, headersOf) => {
    const answers = await Promise.all(
      bySession.map(async (route) => {
        const { method, path } = unread(route);
        const { status, json } = await instance.request(method, path, { headers: headersOf(credentials) });
        return [route, status, Object.keys(json as object)];
      }),
    );
    expect(answers).toEqual(bySession.map((route) => [route, 401, ['error']]));
  });

  it('accepts valid credentials with additional ones of another kind', async () => {
    const { key, token } = credentials;
    const both = { 'x-service-key': key, authorization: `Bearer ${token}` };
    expect((await instance.check({ type: 'a' }, { headers: both })).status).toBe(200);
    expect((await instance.request('GET', '/v1/account', { headers: both })).status).toBe(200);
    const official = { 'x-service-key': key, authorization: `Bearer ${key}` };
    expect((await instance.check({ type: 'a' }, { headers: official })).status).toBe(200);
    const lower = { authorization: `bearer ${token}` };
    expect((await instance.request('GET', '/v1/account', { headers: lower })).status).toBe(200);
  });

  it('recognizes a typo by the checksum alone, and answers an unknown key without revealing similar ones', async () => {
    const refused = async (key: string): Promise<readonly [number, string]> => {
      const { status, text } = await instance.check({ type: 'a' }, { headers: { 'x-service-key': key } });
      return [status, text];
    };
    const never = await refused(neverMade());
    expect(never).toEqual([401, expect.stringContaining('no such API key here')]);
    const { key, revoked } = credentials;
    // Nothing is revealed about a key to a caller without the whole key: neither that it is valid, nor that it was revoked.
    for (const known of [key, revoked]) {
      expect(await refused(neverMade(known.slice(0, 30)))).toEqual(never);
    }
    const typo = await refused(mistyped(key));
    expect(typo).toEqual([401, expect.stringContaining('checksum')]);
    expect(await refused(mistyped(neverMade()))).toEqual(typo);
    expect(await refused(revoked)).toEqual([401, expect.stringContaining('was revoked at')]);
  });
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * See additions.md: the last six characters are the CRC-32 of all before them.
 * @param beginning prefix of the key
 */
function neverMade(beginning = 'csn_live_'): string {
  const random = [...randomBytes(43 - beginning.length)].map((byte) => BASE62.charAt(byte % 62)).join('');
  const body = beginning + random;
  let rest = crc32(body);
  let check = '';
  for (let i = 0; i < 6; i += 1) {
    check = BASE62.charAt(rest % 62) + check;
    rest = Math.floor(rest / 62);
  }
  return body + check;
}
