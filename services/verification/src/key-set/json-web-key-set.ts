import type { SigningKeyFacts } from '@countersign/contracts';
import { fromHex, toBase64Url } from '@countersign/evidence';

/** An Ed25519 key as RFC 8037 writes it, with what `GET /v1/keys` says of it beside the registered members. */
export interface SigningKeyJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  /** The raw public key in base64url. */
  readonly x: string;
  readonly status: 'published' | 'active' | 'retired';
  readonly validFrom: string | null;
  readonly validTo: string | null;
}

const ORDER = ['active', 'published', 'retired'] as const;

/**
 * The keys as a JWK set (RFC 7517): active, published and retired ones, in this order. A revoked key is in none: whoever
 * reads such a set trusts every key in it.
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
