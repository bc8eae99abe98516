import { randomUUID } from 'node:crypto';
import type { Instance } from '../instance/instance.js';
import type { Answer } from '../instance/request.js';

const PASSWORD = 'a password that is long enough';

/** Kinds of callers: by credential and account. */
export const WHO = [
  'anonymous',
  'a session that has logged out',
  'the API key',
  'an API key of another account',
  'another account’s admin',
  'the auditor',
  'the member',
  'the admin',
] as const;
export type Who = (typeof WHO)[number];

export type Headers = Readonly<Record<string, string>>;

/** An account with a user of each role, and another account without access to it. */
export interface People {
  readonly headers: Readonly<Record<Who, Headers>>;
  /** Headers with a new session for callers that have one; fixed headers for the others. */
  fresh(who: Who): Promise<Headers>;
  /** Texts that the other account must never see. */
  readonly secrets: readonly string[];
}

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** @param instance of its first account; the other one is registered, on a plan with exports */
export async function people(instance: Instance): Promise<People> {
  const { email, password, apiKey, accountId } = instance.bootstrap;
  const logins: Partial<Record<Who, { readonly email: string; readonly password: string }>> = {
    'the admin': { email, password },
    'the auditor': { email: `auditor-${randomUUID()}@example.com`, password: PASSWORD },
    'the member': { email: `member-${randomUUID()}@example.com`, password: PASSWORD },
    'another account’s admin': { email: `stranger-${randomUUID()}@example.com`, password: PASSWORD },
    'a session that has logged out': { email, password },
  };
  const logIn = async (who: Who): Promise<Headers> => {
    const answer = await instance.request('POST', '/v1/auth/login', { body: logins[who] });
    return bearer(bodyOf<{ token: string }>(answer, 200).token);
  };
  const admin = await logIn('the admin');
  for (const [who, role] of [
    ['the auditor', 'auditor'],
    ['the member', 'member'],
  ] as const) {
    bodyOf(await instance.request('POST', '/v1/users', { headers: admin, body: { ...logins[who], role } }), 201);
  }
  const stranger = await another(instance, logins['another account’s admin']!);
  const over = await logIn('a session that has logged out');
  bodyOf(await instance.request('POST', '/v1/auth/logout', { headers: over }), 204);
  return {
    headers: {
      anonymous: {},
      'a session that has logged out': over,
      'the API key': { 'x-service-key': apiKey },
      'an API key of another account': { 'x-service-key': stranger.apiKey },
      'another account’s admin': stranger.session,
      'the auditor': await logIn('the auditor'),
      'the member': await logIn('the member'),
      'the admin': admin,
    },
    fresh: async (who) => (who === 'a session that has logged out' ? over : logins[who] ? logIn(who) : {}),
    secrets: [accountId, email, logins['the auditor']!.email, logins['the member']!.email],
  };
}

async function another(
  instance: Instance,
  login: { readonly email: string; readonly password: string },
): Promise<{ readonly session: Headers; readonly apiKey: string }> {
  const registered = await instance.request('POST', '/v1/auth/register', {
    body: { ...login, accountName: 'Another account' },
  });
  const { token, account } = bodyOf<{ token: string; account: { id: string } }>(registered, 201);
  const session = bearer(token);
  const { code, stderr } = await instance.command('admin', 'set-plan', account.id, 'core');
  if (code !== 0) throw new Error(stderr);
  // Without an agent, a key can register one only by the default profile.
  bodyOf(await instance.request('PUT', '/v1/account/default-profile', { headers: session, body: {} }), 200);
  const rights = ['check', 'outcome', 'scan', 'register', 'read', 'policy'];
  const made = await instance.request('POST', '/v1/api-keys', {
    headers: session,
    body: { name: 'theirs', rights },
  });
  return { session, apiKey: bodyOf<{ key: string }>(made, 201).key };
}

/** The body of an answer that must have this status. */
export function bodyOf<T>(answer: Answer, status: number): T {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`);
  return answer.json as T;
}
