import type { TrustedIssuer } from '@countersign/contracts';
import { MOST_WHO_CHARACTERS } from '@countersign/policy-engine';
import { MAX_ANSWER_BYTES, sendHttp } from '@countersign/service-kit';
import type { OutboundNetwork } from '@countersign/service-kit';
import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { actorsOf } from './actors.js';
import type { Actor } from './actors.js';
import { isName } from './names.js';

/** Statements of a valid token about a check. */
export interface Subject {
  readonly issuer: string;
  readonly principal: string;
  /** `null`: as the check says. */
  readonly session: string | null;
  /** Outermost first (RFC 8693 section 4.1). */
  readonly actors: readonly Actor[];
}

/** `refused`: the token is not valid. `unavailable`: its keys cannot be read now. The text has the reason. */
export type TokenJudgement =
  { readonly subject: Subject } | { readonly refused: string } | { readonly unavailable: string };

const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const MOST_CHARACTERS = 8192;
const MOST_SKEW_SECONDS = 60;
const KEPT_MS = 600_000;
const COOLDOWN_MS = 30_000;
/** Key sets that are kept; then the oldest goes. */
const MOST_KEY_SETS = 1000;
const MOST_KEY_SET_BYTES = 4 * MAX_ANSWER_BYTES;
const MOST_KEYS = 100;
/** Time after a failed reading in which a key set is not read again. */
const FAILED_MS = 1000;
/** Members of public keys (RFC 7517, 7518, 8037), and of private ones `d`, so that these are refused. */
const KEY_MEMBERS = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y', 'd'];

/** Judges the access tokens (RFC 9068) that come with checks. */
export class SubjectTokens {
  readonly #keySets = new Map<string, JWTVerifyGetKey>();

  /** @param clock ms since 1970 */
  constructor(
    private readonly network: OutboundNetwork,
    private readonly clock: () => number,
  ) {}

  /**
   * Never rejects for a token.
   * @param trusted issuers of the account
   * @param agent that checks
   */
  async judge(
    token: string,
    trusted: readonly TrustedIssuer[],
    agent: { readonly id: string; readonly name: string },
  ): Promise<TokenJudgement> {
    if (token === '') return refused('send it once');
    if (token.length > MOST_CHARACTERS) return refused(`it has more than ${MOST_CHARACTERS} characters`);
    try {
      const named = decodeJwt(token).iss;
      const issuer = trusted.find((one) => one.issuer === named);
      if (issuer === undefined) return refused('the account trusts no issuer of its iss');
      if (!isFor(issuer, agent.id)) return refused('its issuer is not trusted for this agent');
      const { payload } = await jwtVerify(token, this.#keys(issuer.jwksUri), {
        algorithms: ALGORITHMS,
        typ: 'at+jwt',
        issuer: issuer.issuer,
        audience: issuer.audience,
        requiredClaims: ['exp', 'iat', 'sub'],
        clockTolerance: MOST_SKEW_SECONDS,
        currentDate: new Date(this.clock()),
      });
      return subjectOf(payload, issuer, agent);
    } catch (error) {
      if (isOfKeys(error)) {
        return { unavailable: 'The keys of the issuer of X-Subject-Token cannot be read now. Do not act; try again.' };
      }
      if (error instanceof errors.JOSEError) return refused(reasonOf(error));
      throw error;
    }
  }

  #keys(uri: string): JWTVerifyGetKey {
    const known = this.#keySets.get(uri);
    if (known !== undefined) return known;
    let failedAt = -Infinity;
    const keys = createRemoteJWKSet(new URL(uri), {
      cacheMaxAge: KEPT_MS,
      cooldownDuration: COOLDOWN_MS,
      timeoutDuration: this.network.timeoutMs,
      [customFetch]: async (address) => {
        if (this.clock() - failedAt < FAILED_MS) throw new KeysUnavailable();
        try {
          return await this.#fetch(address);
        } catch (error) {
          failedAt = this.clock();
          throw error;
        }
      },
    });
    for (const [oldest] of this.#keySets) {
      if (this.#keySets.size < MOST_KEY_SETS) break;
      this.#keySets.delete(oldest);
    }
    this.#keySets.set(uri, keys);
    return keys;
  }

  async #fetch(address: string): Promise<Response> {
    const asked = { headers: { accept: 'application/jwk-set+json, application/json', 'user-agent': 'Countersign/1' } };
    const { error, answer } = await sendHttp(address, asked, this.network, MOST_KEY_SET_BYTES);
    const keys = error === null && answer !== null ? keySetOf(answer) : null;
    if (keys === null) throw new KeysUnavailable();
    return new Response(keys);
  }
}

class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/** Reports whether a check of an agent must come with a token. */
export function needsToken(trusted: readonly TrustedIssuer[], agentId: string): boolean {
  return trusted.some((issuer) => issuer.required && isFor(issuer, agentId));
}

function isFor({ agentIds }: TrustedIssuer, agentId: string): boolean {
  return agentIds === null || agentIds.includes(agentId);
}

/** The keys of a key set that verify, with the members that are read; `null`: it is none, or has too many. */
function keySetOf(text: string): string | null {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    return null;
  }
  const keys: unknown = isObject(set) ? set['keys'] : null;
  if (!Array.isArray(keys) || keys.length > MOST_KEYS || !keys.every(isObject)) return null;
  const verifying = keys.filter(
    ({ key_ops: uses }) => uses === undefined || (Array.isArray(uses) && uses.includes('verify')),
  );
  const read = verifying.map((key) =>
    Object.fromEntries(KEY_MEMBERS.filter((name) => typeof key[name] === 'string').map((name) => [name, key[name]])),
  );
  return JSON.stringify({ keys: read });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reports whether the keys of an issuer could not be read or imported. */
function isOfKeys(error: unknown): boolean {
  const kinds = [KeysUnavailable, errors.JWKSTimeout, errors.JWKSInvalid, DOMException, TypeError];
  return kinds.some((kind) => error instanceof kind);
}

function subjectOf(
  payload: JWTPayload,
  { issuer, claims }: TrustedIssuer,
  agent: { readonly id: string; readonly name: string },
): TokenJudgement {
  if (claims.agent !== null) {
    const named = payload[claims.agent];
    const isAgent = typeof named === 'string' && (named.toLowerCase() === agent.id || named === agent.name);
    if (!isAgent) return refused(`its claim ${claims.agent} does not name the agent`);
  }
  const principal = payload[claims.principal];
  if (!isName(principal)) return refused(notName(claims.principal));
  const session = claims.session === null ? null : (payload[claims.session] ?? null);
  if (session !== null && !isName(session)) return refused(notName(claims.session!));
  const actors = actorsOf(payload['act']);
  if (typeof actors === 'string') return refused(actors);
  return { subject: { issuer, principal, session, actors } };
}

function notName(claim: string): string {
  return `its claim ${claim} is not text of 1 to ${MOST_WHO_CHARACTERS} characters`;
}

function refused(reason: string): { readonly refused: string } {
  return { refused: `X-Subject-Token is not valid: ${reason}` };
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return CLAIMS[error.claim] ?? `its claim ${error.claim} does not fit`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not accepted';
  if (error instanceof errors.JWKSNoMatchingKey) return 'its issuer has no key with its kid and algorithm';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'it names no kid, and its issuer has several keys';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not fit';
  return 'it is not a signed JWT that can be read';
}

const CLAIMS: Readonly<Record<string, string>> = {
  aud: 'it is for another audience',
  nbf: 'it is not valid yet',
  typ: 'its typ must be at+jwt (RFC 9068)',
  exp: 'its claim exp must be a time',
};
