import type { SigningKeyFacts, SigningKeyJwk } from '@countersign/contracts';
import { fromHex, toBase64Url } from '@countersign/evidence';

const ORDER = ['active', 'published', 'retired'] as const;

/**
 * The keys as a JWK set (RFC 7517): active, published and retired ones, in this order. A revoked key is left out:
 * readers of such a set trust every key in it.
 */
export function jsonWebKeySet(keys: readonly { readonly id: string; readonly facts: SigningKeyFacts }[]): {
  readonly keys: readonly SigningKeyJwk[];
} {
  const jwks = keys.flatMap(({ id, facts: { publicKeyHex, status, validFrom, validTo } }): SigningKeyJwk[] => {
    const publicKey = fromHex(publicKeyHex);
    if (status === 'revoked' || publicKey === null) return [];
    const key = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: id, x: toBase64Url(publicKey) } as const;
    return [{ ...key, status, validFrom, validTo }];
  });
  return { keys: jwks.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)) };
}
