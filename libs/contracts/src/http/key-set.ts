import { error, nullable } from './fragments.js';
import { LOOK_UP, revalidated } from './public-answers.js';
import { route, type JsonSchema } from './route.js';

const text: JsonSchema = { type: 'string' };

const jwk: JsonSchema = {
  type: 'object',
  required: ['kty', 'crv', 'alg', 'use', 'kid', 'x', 'status', 'validFrom', 'validTo'],
  properties: {
    kty: { const: 'OKP' },
    crv: { const: 'Ed25519' },
    alg: { const: 'EdDSA' },
    use: { const: 'sig' },
    kid: { type: 'string', pattern: '^key_[0-9a-f]{16}$' },
    x: { type: 'string', description: 'the raw public key in base64url' },
    status: { enum: ['active', 'published', 'retired'] },
    validFrom: nullable(text),
    validTo: nullable(text),
  },
};

/** The signing keys as other programs read them. */
export const keySetRoutes = {
  getKeySet: route({
    service: 'verification',
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'getKeySet',
    summary: 'Signing keys that verify, as a JWK set (RFC 7517, RFC 8037)',
    tag: 'Public',
    auth: 'none',
    perAddress: LOOK_UP,
    success: 200,
    responses: {
      200: {
        description: 'every key but the revoked ones; a retired one verifies what it signed before its `validTo`',
        schema: { type: 'object', required: ['keys'], properties: { keys: { type: 'array', items: jwk } } },
        headers: revalidated,
      },
      304: { description: 'as it was at the ETag that If-None-Match names' },
      500: error('the look-up failed'),
    },
  }),
} as const;
