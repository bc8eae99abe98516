import { createHash, timingSafeEqual } from 'node:crypto';
import { missingRight, powersOf, rightsMask } from '@countersign/contracts';
import type { ApiKeyFacts, ApiKeyPowers, Route, SessionFacts } from '@countersign/contracts';
import type { VersionedKind } from '@countersign/counters';
import {
  apiKeyProblem,
  endedKeyProblem,
  HttpRefusal,
  readApiKeyHeaders,
  readSession,
  sessionProblem,
} from '@countersign/http-edge';
import type { ApiKeyCaller, Authenticator, SessionCaller, SessionRequest } from '@countersign/http-edge';
import { Projection } from '@countersign/topics';
import type { ServiceContext } from '../service/definition.js';
import { isWellFormedApiKey } from '@countersign/process';
import { sessionTokens } from './session-tokens.js';
import type { SessionTokens } from './session-tokens.js';

/** How long a request waits for a change that is in force and has not been read here, ms. */
const WAIT_MS = 1000;

function unauthorized(words: string): HttpRefusal {
  return new HttpRefusal(401, words, { 'www-authenticate': 'Bearer' });
}

function unavailable(): HttpRefusal {
  return new HttpRefusal(503, 'credentials cannot be checked at the moment: try again', { 'retry-after': '1' });
}

export type AuthenticatorContext = Pick<ServiceContext, 'config' | 'clock' | 'eventLog' | 'counters'>;

/**
 * Follows `sessions`, `api-keys` or both. A change or revocation counts as soon as its caller has been answered:
 * `counters` knows the version of the credential, and an older read model waits for that record.
 */
export async function openAuthenticator(
  context: AuthenticatorContext,
  kinds: { readonly session: boolean; readonly apiKey: boolean },
): Promise<Authenticator> {
  const reader = { name: 'edge', eventLog: context.eventLog };
  const tokens = kinds.session ? await sessionTokens(context) : null;
  const sessions = kinds.session ? await Projection.follow<SessionFacts>(reader, 'sessions') : null;
  const apiKeys = kinds.apiKey
    ? await Projection.follow<ApiKeyFacts>(reader, 'api-keys', { indexes: { sha256: (_id, key) => key.sha256 } })
    : null;
  const followed = [sessions, apiKeys].filter((projection) => projection !== null);
  return {
    session: (request) => {
      if (tokens === null || sessions === null) throw new Error('no route of this edge takes a session');
      return judgeSession(context, tokens, sessions, request);
    },
    apiKey: (rawHeaders, rights) => {
      if (apiKeys === null) throw new Error('no route of this edge takes an API key');
      return judgeApiKey(context, apiKeys, rawHeaders, rights);
    },
    notReady: () => followed.map((projection) => projection.problem()).filter((problem) => problem !== null),
    async stop() {
      await Promise.all(followed.map((projection) => projection.stop()));
    },
  };
}

/** Waits until the read model holds the version that is in force. @throws HttpRefusal 503 if that takes too long */
async function catchUp<T>(
  context: AuthenticatorContext,
  projection: Projection<T>,
  kind: VersionedKind,
  id: string,
): Promise<void> {
  let version: number | null;
  try {
    version = await context.counters.version(kind, id);
  } catch {
    throw unavailable();
  }
  if (version !== null && !(await projection.waitFor(id, version, WAIT_MS))) throw unavailable();
}

async function judgeSession(
  context: AuthenticatorContext,
  tokens: SessionTokens,
  sessions: Projection<SessionFacts>,
  request: SessionRequest,
): Promise<SessionCaller> {
  const sent = readSession(request, context.config.publicUrl);
  if ('problem' in sent) throw unauthorized(sent.problem);
  const { token } = sent;
  const unknown = (): HttpRefusal => {
    const fromCookie = token !== null && request.headers.authorization === undefined;
    return unauthorized(sessionProblem(request.rawHeaders, fromCookie));
  };
  const claims = token === null ? null : await tokens.verify(token);
  if (claims === null) throw unknown();
  if (sessions.problem() !== null) throw unavailable();
  await catchUp(context, sessions, 'session', claims.sid);
  const facts = sessions.get(claims.sid)?.value;
  if (facts === undefined || facts.accountId !== claims.accountId || facts.revokedAt !== null) throw unknown();
  if (Date.parse(facts.expiresAt) <= context.clock()) throw unauthorized('the session has expired: log in again');
  const { accountId, userId, email, role } = facts;
  return { sessionId: claims.sid, accountId, userId, email, role };
}

async function judgeApiKey(
  context: AuthenticatorContext,
  apiKeys: Projection<ApiKeyFacts>,
  rawHeaders: readonly string[],
  rights: Route['rights'],
): Promise<ApiKeyCaller> {
  const key = readApiKeyHeaders(rawHeaders);
  if (key === null || !isWellFormedApiKey(key)) throw unauthorized(apiKeyProblem(rawHeaders));
  if (apiKeys.problem() !== null) throw unavailable();
  const sha256 = createHash('sha256').update(key).digest('hex');
  const found = apiKeys.find('sha256', sha256) ?? (await justCreated(context, apiKeys, sha256));
  if (found === undefined) throw unauthorized(apiKeyProblem(rawHeaders));
  await catchUp(context, apiKeys, 'api-key', found.id);
  const facts = apiKeys.get(found.id)?.value;
  const matches = facts !== undefined && timingSafeEqual(Buffer.from(facts.sha256), Buffer.from(sha256));
  if (!matches) throw unauthorized(apiKeyProblem(rawHeaders));
  const ended = endedKeyProblem(facts, context.clock());
  if (ended !== null) throw unauthorized(ended);
  const powers = powersOf(facts);
  if (rights !== undefined && !hasOneOf(powers, rights)) throw unauthorized(missingRight(rights));
  return { accountId: facts.accountId, apiKeyId: found.id, powers };
}

/** Returns true if the key has at least one of the rights. */
export function hasOneOf(powers: Pick<ApiKeyPowers, 'rights'>, rights: NonNullable<Route['rights']>): boolean {
  return (powers.rights & rightsMask(rights)) !== 0;
}

/** Finds a key that was just created: `counters` knows it by its hash before its record is read here. */
async function justCreated(
  context: AuthenticatorContext,
  apiKeys: Projection<ApiKeyFacts>,
  sha256: string,
): Promise<{ readonly id: string } | undefined> {
  const version = await context.counters.version('api-key', sha256).catch(() => {
    throw unavailable();
  });
  if (version === null) return undefined;
  await apiKeys.caughtUp();
  return apiKeys.find('sha256', sha256);
}
