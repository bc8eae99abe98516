import type { TrustedIssuer } from '../records.js';
import { bodyErrors, error, isoTime, sessionErrors, uuid } from './fragments.js';
import { nullable, object, type JsonOf } from './json-schema.js';
import { errorsById, notNow } from './people.js';
import { route } from './route.js';

/** Most issuers that an account trusts. */
export const MOST_TRUSTED_ISSUERS = 16;

const url = { type: 'string', minLength: 1, maxLength: 2048 } as const;
/** Committed with each check, so no longer than the name of a principal. */
const issuer = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description: 'as the claim `iss` of its tokens has it, letter by letter',
} as const;
const audience = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  description: 'one of the claim `aud` of its tokens: the name of this service at the issuer',
} as const;
const claim = { type: 'string', minLength: 1, maxLength: 100 } as const;
const agentClaim = nullable({
  ...claim,
  description: 'claim that must be the id or the name of the agent that checks; default, or null: none is compared',
});
const principalClaim = { ...claim, description: 'claim that names the principal; default: `sub`' } as const;
const sessionClaim = nullable({
  ...claim,
  description: 'claim that names the session, where a token has it; default, or null: the session is as the check says',
});
const agentIds = nullable({
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  uniqueItems: true,
  items: uuid,
  description: 'the agents that it is trusted for; default, or null: every agent of the account',
});
const required = {
  type: 'boolean',
  description: 'true: a check of these agents without a token is 401, on every route that checks; default: false',
} as const;

const trustedIssuer = object({
  id: uuid,
  issuer,
  jwksUri: { ...url, description: 'address of its key set (RFC 7517)' },
  audience,
  claims: object({ agent: agentClaim, principal: principalClaim, session: sessionClaim }),
  agentIds,
  required,
  createdAt: isoTime,
});

const newTrustedIssuer = {
  type: 'object',
  required: ['issuer', 'jwksUri', 'audience'],
  properties: {
    issuer,
    jwksUri: {
      ...url,
      description: 'address of its key set (RFC 7517): https, and publicly reachable, as the addresses of webhooks',
    },
    audience,
    claims: {
      type: 'object',
      properties: { agent: agentClaim, principal: principalClaim, session: sessionClaim },
      additionalProperties: false,
    },
    agentIds,
    required,
  },
  additionalProperties: false,
} as const;

export type NewTrustedIssuer = JsonOf<typeof newTrustedIssuer>;
export type TrustedIssuerRecord = TrustedIssuer;

const tag = 'Accounts';

export const trustedIssuerRoutes = {
  listTrustedIssuers: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/trusted-issuers',
    operationId: 'listTrustedIssuers',
    summary: 'Lists the issuers whose tokens say on whose behalf agents act',
    tag,
    auth: 'session',
    success: 200,
    responses: {
      200: {
        description: 'all of them, oldest first',
        schema: object({ trustedIssuers: { type: 'array', items: trustedIssuer } }),
      },
      ...sessionErrors,
    },
  }),
  createTrustedIssuer: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/trusted-issuers',
    operationId: 'createTrustedIssuer',
    summary: 'Trusts an issuer of access tokens',
    tag,
    auth: 'session',
    role: 'admin',
    body: newTrustedIssuer,
    success: 201,
    responses: {
      201: { description: 'the issuer: it applies to the next check, on every gateway', schema: trustedIssuer },
      ...bodyErrors,
      ...sessionErrors,
      409: error(`the issuer is trusted already, or the account has ${MOST_TRUSTED_ISSUERS} of them`),
      503: notNow,
    },
  }),
  deleteTrustedIssuer: route({
    service: 'identity',
    method: 'DELETE',
    path: '/v1/trusted-issuers/{id}',
    operationId: 'deleteTrustedIssuer',
    summary: 'Trusts an issuer no more: its tokens get 401 at once, on every gateway',
    tag,
    auth: 'session',
    role: 'admin',
    params: { id: uuid },
    success: 204,
    responses: {
      204: { description: 'removed' },
      ...errorsById('no such trusted issuer'),
    },
  }),
};
