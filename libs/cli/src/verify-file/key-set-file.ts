import { fromBase64Url, type VerificationKey } from '@countersign/evidence';

interface Jwk {
  readonly kty?: unknown;
  readonly crv?: unknown;
  readonly x?: unknown;
  readonly status?: unknown;
  readonly validFrom?: unknown;
  readonly validTo?: unknown;
}

const STATUSES = ['published', 'active', 'retired'] as const;

/**
 * Reads the keys of a saved `/.well-known/jwks.json` with their validity; of another issuer's set the Ed25519 keys, without one.
 * `null`: the text is not a JWK set, or has no such key.
 */
export function keysInSet(text: string): readonly VerificationKey[] | null {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    return null;
  }
  const jwks = (set as { readonly keys?: unknown } | null)?.keys;
  if (!Array.isArray(jwks)) return null;
  const keys = (jwks as readonly (Jwk | null)[]).flatMap((jwk) => {
    const key = jwk === null ? null : keyOf(jwk);
    return key === null ? [] : [key];
  });
  return keys.length === 0 ? null : keys;
}

function keyOf({ kty, crv, x, status, validFrom, validTo }: Jwk): VerificationKey | null {
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return null;
  const publicKey = fromBase64Url(x);
  if (publicKey?.length !== 32) return null;
  const known = STATUSES.find((one) => one === status) ?? (status === undefined ? 'active' : null);
  return known === null ? null : { publicKey, status: known, validFrom: time(validFrom), validTo: time(validTo) };
}

function time(value: unknown): string | null {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null;
}
