import { createHmac, timingSafeEqual } from 'node:crypto';
import { Secret } from 'otpauth';

const COUNT = 10;
/** 80 bits: 16 letters and digits of base32. */
const BYTES = 10;
const FORM = /^[a-z2-7]{16}$/;

/** 10 new codes, as a person reads them: `abcd-efgh-ijkl-mnop`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: COUNT }, () => {
    const groups = new Secret({ size: BYTES }).base32.toLowerCase().match(/.{4}/g)!;
    return groups.join('-');
  });
}

/**
 * HMAC-SHA-256 of a code by a key that is not in the store, in hexadecimal digits.
 * @param given with or without hyphens and spaces, in either case
 * @returns `null` if it does not have the form of a code
 */
export function hashOfCode(given: string, key: Uint8Array, userId: string): string | null {
  const code = given.replace(/[\s-]/g, '').toLowerCase();
  return FORM.test(code) ? createHmac('sha256', key).update(`recovery code ${userId} ${code}`).digest('hex') : null;
}

/** @returns the hashes without this one; `null` if it is none of them */
export function withoutCode(hashes: readonly string[], hash: string): readonly string[] | null {
  const given = Buffer.from(hash, 'hex');
  const left = hashes.filter((one) => !timingSafeEqual(Buffer.from(one, 'hex'), given));
  return left.length === hashes.length ? null : left;
}
