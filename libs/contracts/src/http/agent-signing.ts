import { bodyErrors, error, isoTime, sessionErrors, uuid } from './fragments.js';
import { object, type JsonOf } from './json-schema.js';
import { route } from './route.js';

/** Most keys that one agent signs with. */
export const MOST_AGENT_KEYS = 16;

/** 32 bytes in base64url without padding. */
const bytes32 = { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' } as const;
const publicKey = { ...bytes32, description: 'Ed25519 public key (RFC 8032), 32 bytes in base64url' } as const;

const signingKey = object({
  id: { ...bytes32, description: 'the `keyid` of signatures: the thumbprint of the key (RFC 7638, RFC 8037)' },
  publicKey,
  createdAt: isoTime,
});

const signing = object({
  requireSignature: {
    type: 'boolean',
    description: 'true: a check of the agent without a valid signature is 401, on every route that checks',
  },
  signingKeys: { type: 'array', items: signingKey, description: 'oldest first' },
});

export type AgentSigningRecord = JsonOf<typeof signing>;
export type AgentKeyRecord = JsonOf<typeof signingKey>;

const newKey = {
  type: 'object',
  properties: {
    publicKey,
    jwk: {
      type: 'object',
      required: ['kty', 'crv', 'x'],
      properties: {
        kty: { type: 'string', enum: ['OKP'] },
        crv: { type: 'string', enum: ['Ed25519'] },
        x: publicKey,
        kid: { type: 'string', maxLength: 500 },
        use: { type: 'string', enum: ['sig'] },
        alg: { type: 'string', enum: ['EdDSA', 'Ed25519'] },
      },
      additionalProperties: false,
      description: 'the same as a JWK (RFC 8037), without its private part `d`',
    },
  },
  additionalProperties: false,
} as const;

export type NewAgentKey = JsonOf<typeof newKey>;

const requirement = {
  type: 'object',
  required: ['required'],
  properties: { required: { type: 'boolean' } },
  additionalProperties: false,
} as const;

const service = 'policy' as const;
const tag = 'Agents';
const noAgent = error('no such agent');
const notNow = error('the change could not be made durable or published; it may still take effect');
const tooOften = {
  ...error('the account changes its agents too often'),
  headers: { 'Retry-After': 'seconds until the next change is accepted' },
};

/** Keys with which an agent signs its checks (RFC 9421). */
export const agentSigningRoutes = {
  getAgentSigning: route({
    service,
    method: 'GET',
    path: '/v1/agents/{id}/signing-keys',
    operationId: 'getAgentSigning',
    summary: 'The keys with which an agent signs its checks, and whether it has to',
    tag,
    auth: 'session',
    params: { id: uuid },
    success: 200,
    responses: {
      200: { description: 'keys and requirement', schema: signing },
      400: bodyErrors[400],
      401: sessionErrors[401],
      404: noAgent,
    },
  }),
  addAgentKey: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/signing-keys',
    operationId: 'addAgentKey',
    summary: 'Registers a public key with which an agent signs its checks',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: newKey,
    success: 201,
    responses: {
      201: { description: 'the key, also if it is registered already', schema: signingKey },
      ...bodyErrors,
      ...sessionErrors,
      404: noAgent,
      409: error(`the agent is inactive, or has ${MOST_AGENT_KEYS} keys`),
      429: tooOften,
      503: notNow,
    },
  }),
  removeAgentKey: route({
    service,
    method: 'DELETE',
    path: '/v1/agents/{id}/signing-keys/{keyId}',
    operationId: 'removeAgentKey',
    summary: 'Removes a key: checks that are signed with it are 401 at once, on every gateway',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid, keyId: bytes32 },
    success: 204,
    responses: {
      204: { description: 'removed' },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('no such agent, or it has no such key'),
      409: error('the agent is inactive'),
      429: tooOften,
      503: notNow,
    },
  }),
  requireAgentSignature: route({
    service,
    method: 'PUT',
    path: '/v1/agents/{id}/signature-requirement',
    operationId: 'requireAgentSignature',
    summary: 'Requires that every check of an agent is signed, or no longer',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: requirement,
    success: 200,
    responses: {
      200: { description: 'keys and requirement', schema: signing },
      ...bodyErrors,
      ...sessionErrors,
      404: noAgent,
      409: error('the agent is inactive, or has no key to sign with'),
      429: tooOften,
      503: notNow,
    },
  }),
};
