import { ROLES } from '@countersign/contracts';
import type { Role } from '@countersign/contracts';
import { normalEmail } from '../domain/lock-out.js';

/** Statements of the provider about a person, from the ID token and, where that lacks them, from UserInfo. */
export interface ProviderClaims {
  /** Unchanging at the provider. */
  readonly sub: string;
  readonly [claim: string]: unknown;
}

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/**
 * Claims of the ID token, and those of UserInfo that it lacks. `email` and `email_verified` are of one statement: the ID
 * token if it has both, else UserInfo, since the address that one of them calls verified may be another than the other names.
 */
export function mergedClaims(idToken: ProviderClaims, userInfo: Readonly<Record<string, unknown>>): ProviderClaims {
  const isWhole = idToken['email'] !== undefined && idToken['email_verified'] !== undefined;
  const { email, email_verified } = isWhole ? idToken : userInfo;
  return { ...userInfo, ...idToken, email, email_verified };
}

/** The e-mail address in normal form; `null`: there is none, or the provider does not say that it is verified. */
export function verifiedEmail({ email, email_verified: isVerified }: ProviderClaims): string | null {
  return typeof email === 'string' && isVerified === true && EMAIL.test(email) ? normalEmail(email) : null;
}

/**
 * The value of a claim: of its own name, otherwise by the dots in the name, as in `realm_access.roles`. `undefined`: there
 * is none.
 */
export function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

/**
 * The highest role that a value of the claim gives: text, or a list of texts.
 * @returns `null`: none of them gives a role
 */
export function roleOfClaims(
  claims: Readonly<Record<string, unknown>>,
  { claim, byValue }: { readonly claim: string; readonly byValue: readonly (readonly [string, Role])[] },
): Role | null {
  const found = claimOf(claims, claim);
  const values: readonly unknown[] = Array.isArray(found) ? found : [found];
  const given = new Set(byValue.filter(([value]) => values.includes(value)).map(([, role]) => role));
  return ROLES.findLast((role) => given.has(role)) ?? null;
}
