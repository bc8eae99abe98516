import { error } from './fragments.js';
import { LOOK_UP, revalidated } from './public-answers.js';
import { nullable, openObject, type JsonOf } from './json-schema.js';
import { route } from './route.js';

const text = { type: 'string' } as const;

const jwk = openObject({
  kty: { const: 'OKP' },
  crv: { const: 'Ed25519' },
  alg: { const: 'EdDSA' },
  use: { const: 'sig' },
  kid: { type: 'string', pattern: '^key_[0-9a-f]{16}$' },
  x: { type: 'string', description: 'the raw public key in base64url' },
  status: { enum: ['active', 'published', 'retired'] },
  validFrom: nullable(text),
  validTo: nullable(text),
});

/** An Ed25519 key as RFC 8037 writes it, with members of `GET /v1/keys` in addition to the registered ones. */
export type SigningKeyJwk = JsonOf<typeof jwk>;

/** The signing keys in a standard format. */
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
        description: 'every key except revoked ones; a retired key verifies signatures from before its `validTo`',
        schema: openObject({ keys: { type: 'array', items: jwk } }),
        headers: revalidated,
      },
      304: { description: 'unchanged since the ETag in If-None-Match' },
      500: error('the lookup failed'),
    },
  }),
} as const;
