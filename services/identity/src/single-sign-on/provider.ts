import { readFile } from 'node:fs/promises';
import type { Config } from '@countersign/process';
import { MAX_ANSWER_BYTES, sendHttp } from '@countersign/service-kit';
import type { OutboundNetwork } from '@countersign/service-kit';
import * as oidc from 'openid-client';
import { claimOf, mergedClaims } from './claims.js';
import type { ProviderClaims } from './claims.js';
import { ProviderUnavailable, SignInRefused } from './refused.js';
import type { SignInFlow } from './sign-in-flow.js';

type SingleSignOnConfig = Config['singleSignOn'] & object;

const MOST_BYTES = 4 * MAX_ANSWER_BYTES;
/** Time for which the description of the provider is kept. */
const KEPT_MS = 600_000;
/** Time after a failed reading in which it is not read again. */
const FAILED_MS = 1000;
const MOST_SKEW_SECONDS = 60;
/** Bound of OpenID Connect Core section 2. */
const MOST_SUBJECT_CHARACTERS = 255;

/** The provider of OpenID Connect. All of its addresses are asked under the rules of webhook addresses. */
export class Provider {
  #known: { readonly reading: Promise<oidc.Configuration>; readonly untilMs: number } | null = null;

  /** @param clock ms since 1970 */
  constructor(
    private readonly config: SingleSignOnConfig,
    private readonly network: OutboundNetwork,
    private readonly clock: () => number,
  ) {}

  /** @param redirectUri of this service @throws ProviderUnavailable */
  async authorizationUrl({ state, nonce, verifier }: SignInFlow, redirectUri: string): Promise<string> {
    const { scopes } = this.config;
    const url = oidc.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUri,
      scope: scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Redeems the code of a return from the provider. State, issuer, audience, nonce, times and signature of the ID token are checked.
   * @param returned the redirect URI with the query that the browser brought
   * @throws SignInRefused, ProviderUnavailable
   */
  async redeem(returned: URL, { state, nonce, verifier }: SignInFlow): Promise<ProviderClaims> {
    refuseOtherIssuer(returned.searchParams, this.config.issuer);
    const configuration = await this.#configuration();
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      if (claims.iss !== this.config.issuer) throw new SignInRefused('issuer', `the token is of ${claims.iss}`);
      if (claims.sub.length > MOST_SUBJECT_CHARACTERS) throw new SignInRefused('token', 'its sub is too long');
      if (this.#isComplete(claims) || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      return mergedClaims(claims, await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub));
    } catch (error) {
      throw judged(error);
    }
  }

  /** Reports whether an ID token has all claims that are read, so that UserInfo need not be asked. */
  #isComplete(claims: Readonly<Record<string, unknown>>): boolean {
    const { roles } = this.config;
    const isFound = (name: string): boolean => claimOf(claims, name) !== undefined;
    return isFound('email') && isFound('email_verified') && (roles === null || isFound(roles.claim));
  }

  #configuration(): Promise<oidc.Configuration> {
    const now = this.clock();
    if (this.#known !== null && now < this.#known.untilMs) return this.#known.reading;
    const reading = this.#discover();
    const known = { reading, untilMs: now + KEPT_MS };
    this.#known = known;
    reading.catch(() => {
      if (this.#known === known) this.#known = { reading, untilMs: this.clock() + FAILED_MS };
    });
    return reading;
  }

  async #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecretFile } = this.config;
    try {
      const secret = clientSecretFile === null ? null : (await readFile(clientSecretFile, 'utf8')).trim();
      const isPlain = new URL(issuer).protocol === 'http:';
      const metadata = { [oidc.clockTolerance]: MOST_SKEW_SECONDS };
      const configuration = await oidc.discovery(new URL(issuer), clientId, metadata, clientAuthentication(secret), {
        [oidc.customFetch]: (url, request) => this.#ask(url, request),
        timeout: this.network.timeoutMs / 1000,
        execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
      });
      if (configuration.serverMetadata().issuer !== issuer) throw new Error('it describes another issuer');
      return configuration;
    } catch (error) {
      const found = causeOf(error, ProviderUnavailable);
      throw found ?? new ProviderUnavailable(`the description of the provider cannot be used: ${textOf(error)}`);
    }
  }

  async #ask(url: string, { method, headers, body }: oidc.CustomFetchOptions): Promise<Response> {
    const text = body instanceof URLSearchParams || typeof body === 'string' ? String(body) : '';
    const asked = {
      headers: { ...headers, 'user-agent': 'Countersign/1' },
      ...(method === 'POST' ? { body: text } : {}),
    };
    const { status, error, answer } = await sendHttp(url, asked, this.network, MOST_BYTES);
    if (status === null || answer === null || status >= 500 || status === 429) {
      throw new ProviderUnavailable(`${new URL(url).host}: ${error ?? 'its answer is cut off or too long'}`);
    }
    return new Response(answer, { status, headers: { 'content-type': 'application/json' } });
  }
}

/** Sends the secret by Basic authentication, which every provider must accept, unless the provider names others only. */
function clientAuthentication(secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods } = server;
    const isBasic = methods === undefined || methods.includes('client_secret_basic');
    (isBasic ? basic : post)(server, client, body, headers);
  };
}

/** RFC 9207: an answer of another provider is refused before its code is sent anywhere. */
function refuseOtherIssuer(query: URLSearchParams, issuer: string): void {
  const named = query.get('iss');
  if (named !== null && named !== issuer) throw new SignInRefused('issuer', `the answer is of ${named}`);
}

/** The refusal for an error of the library. */
function judged(error: unknown): Error {
  const own = causeOf(error, ProviderUnavailable) ?? causeOf(error, SignInRefused);
  if (own !== null) return own;
  if (error instanceof oidc.AuthorizationResponseError) {
    const reason = error.error === 'access_denied' ? 'cancelled' : 'refused-by-provider';
    return new SignInRefused(reason, `the provider answers ${error.error}`);
  }
  if (error instanceof oidc.ResponseBodyError) {
    const reason = error.error === 'invalid_grant' ? 'stale' : 'refused-by-provider';
    return new SignInRefused(reason, `the provider answers ${error.error} for the code`);
  }
  return new SignInRefused('token', textOf(error));
}

function causeOf<E extends Error>(error: unknown, kind: new (...parameters: never[]) => E): E | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof kind) return at;
  return null;
}

/** Messages of the library hold no values of tokens. */
function textOf(error: unknown): string {
  return error instanceof Error
    ? [error.message, error.cause instanceof Error ? error.cause.message : ''].filter((text) => text !== '').join(': ')
    : 'unknown error';
}
