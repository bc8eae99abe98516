import { seal, unseal } from '@countersign/process';

interface Expiring {
  readonly expiresAtMs: number;
}

/** One use of the key; a token of one purpose opens for no other. */
type Purpose = 'enrolment' | 'sign-in';

/** A token that holds what it says, encrypted and authenticated: nothing is stored. */
export function sealToken<T extends Expiring>(content: T, key: Uint8Array, purpose: Purpose): string {
  return seal(JSON.stringify(content), key, `token of ${purpose}`);
}

/** @returns `null` if the token is not of this installation or purpose, or has expired */
export function openToken<T extends Expiring>(
  token: string,
  key: Uint8Array,
  purpose: Purpose,
  nowMs: number,
): T | null {
  try {
    const content = JSON.parse(unseal(token, key, `token of ${purpose}`)) as T;
    return content.expiresAtMs > nowMs ? content : null;
  } catch {
    return null;
  }
}
