import { bodyErrors, error, errorSchema, sha256Hex } from './fragments.js';
import { LOOK_UP, revalidated, VERIFICATION, VERIFIED_MIB } from './public-answers.js';
import { nullable, type JsonOf, type JsonSchema } from './json-schema.js';
import { route } from './route.js';

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

const keysSchema: JsonSchema = {
  type: 'object',
  required: ['keys', 'activeKeyId'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'validFrom', 'validTo', 'status'],
        properties: {
          id: text,
          validFrom: nullable(text),
          validTo: nullable(text),
          status: { enum: ['published', 'active', 'retired', 'revoked'] },
          revocation: { type: 'object', required: ['at', 'reason'], properties: { at: text, reason: text } },
        },
      },
    },
    activeKeyId: text,
    anchorAuthorities: {
      type: 'array',
      items: {
        type: 'object',
        required: ['address', 'network', 'validFrom', 'validTo'],
        properties: { address: text, network: text, validFrom: nullable(text), validTo: nullable(text) },
      },
    },
  },
};

const chainCheck: JsonSchema = {
  type: 'object',
  properties: {
    checked: { type: 'boolean' },
    onChain: { type: 'boolean' },
    detail: text,
    block_height: nullable(number),
    slot: nullable(number),
    confirmations: nullable(number),
  },
};

const eventResult: JsonSchema = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    anchored: { type: 'boolean' },
    rootMatches: { type: 'boolean' },
    merkleRoot: nullable(text),
    txSignature: nullable(text),
    network: nullable(text),
    leafIndex: number,
    treeSize: number,
    detail: text,
    eventId: {},
    chain: chainCheck,
  },
};

const inclusionResult: JsonSchema = {
  type: 'object',
  required: ['ok'],
  properties: {
    ok: { type: 'boolean' },
    signature: { type: 'object' },
    events: { type: 'array', items: eventResult },
    anchoredCount: number,
    unanchoredCount: number,
    event: eventResult,
    chain: chainCheck,
    error: text,
    detail: text,
    sha256: text,
    canonical: text,
  },
};

const anchorCheck = {
  type: 'object',
  required: ['confirmed'],
  properties: {
    confirmed: { type: 'boolean' },
    detail: text,
    block_height: nullable(number),
    slot: nullable(number),
    confirmations: nullable(number),
    error: text,
  },
} as const;

/** Answer of `POST /v1/chain/verify`. */
export type AnchorCheck = JsonOf<typeof anchorCheck>;

export const verificationRoutes = {
  listKeys: route({
    service: 'verification',
    method: 'GET',
    path: '/v1/keys',
    operationId: 'listKeys',
    summary: 'Signing keys and anchor authorities',
    tag: 'Public',
    auth: 'none',
    perAddress: LOOK_UP,
    success: 200,
    responses: {
      200: {
        description: 'every key; `activeKeyId` is empty while no key is active',
        schema: keysSchema,
        headers: revalidated,
      },
      304: { description: 'unchanged since the ETag in If-None-Match' },
      500: error('the lookup failed'),
    },
  }),
  getKey: route({
    service: 'verification',
    method: 'GET',
    path: '/v1/keys/{keyId}',
    operationId: 'getKey',
    summary: 'A signing key as PEM',
    tag: 'Public',
    auth: 'none',
    perAddress: LOOK_UP,
    params: { keyId: { type: 'string', pattern: '^key_[0-9a-f]{16}$' } },
    success: 200,
    responses: {
      200: { description: 'SPKI PEM of the Ed25519 public key', contentType: 'text/plain', headers: revalidated },
      304: { description: 'unchanged since the ETag in If-None-Match' },
      400: error('not a key id'),
      404: error('no such key'),
      500: error('the lookup failed'),
    },
  }),
  verifyInclusion: route({
    service: 'verification',
    method: 'POST',
    path: '/v1/inclusion/verify',
    operationId: 'verifyInclusion',
    summary: 'Check a package, or one event with its proof',
    tag: 'Public',
    auth: 'none',
    perAddress: VERIFICATION,
    perAddressMiB: VERIFIED_MIB,
    body: {
      type: 'object',
      properties: {
        package: { type: 'object' },
        report: { type: 'object' },
        event: { type: 'object' },
        proof: { type: 'object' },
      },
      anyOf: [{ required: ['package'] }, { required: ['report'] }, { required: ['event', 'proof'] }],
    },
    bodyLimit: 'verification',
    bodyForm: 'raw',
    success: 200,
    responses: {
      200: { description: 'the results, with the parts that could not be checked', schema: inclusionResult },
      ...bodyErrors,
      500: error('the verification failed'),
      503: error('too many verifications are running, or this body takes too long: try again'),
    },
  }),
  verifyChain: route({
    service: 'verification',
    method: 'POST',
    path: '/v1/chain/verify',
    operationId: 'verifyChain',
    summary: 'Check that a transaction holds the content hash of a report',
    tag: 'Public',
    auth: 'none',
    perAddress: VERIFICATION,
    // Malformed or missing members are 400 in the form of the answer: the handler validates them.
    body: {},
    shownBody: {
      type: 'object',
      required: ['anchor_tx_signature', 'sha256', 'signature'],
      properties: {
        anchor_tx_signature: { type: 'string', description: 'transaction signature in base58' },
        sha256: { ...sha256Hex, description: 'of the package; its content hash is accepted as well' },
        signature: { type: 'string', description: 'signature of the package, base64' },
      },
    },
    success: 200,
    responses: {
      200: { description: 'confirmed or not', schema: anchorCheck },
      400: {
        description: 'malformed or missing members; or not a JSON object, in the form of all other refusals',
        schema: { anyOf: [anchorCheck, errorSchema] },
      },
      408: bodyErrors[408],
      413: bodyErrors[413],
      415: bodyErrors[415],
      500: { description: 'the chain, or the records of reports, could not be read', schema: anchorCheck },
    },
  }),
} as const;
