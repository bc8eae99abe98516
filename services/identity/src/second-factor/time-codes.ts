import { timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const STEP_MS = 30_000;
/** Steps that a clock may be wrong by, in both directions (RFC 6238 section 5.2). */
const SKEW = 1;
const SECRET_BYTES = 20;
const ISSUER = 'Countersign';
const FORM = /^\d{6}$/;

/** 20 random bytes in base32, the length of an HMAC-SHA-1 (RFC 4226 section 4). */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The `otpauth:` address by which authenticators take over a secret. */
export function addressOf(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/**
 * Compares a code of 6 digits with those of the times around now (RFC 6238: HMAC-SHA-1, 30 seconds).
 * @param lastStep the step of the newest code that was used; it and earlier ones are not compared
 * @returns the time step of the code; `null` if it is none of them
 */
export function stepOfCode(secret: string, code: string, nowMs: number, lastStep: number): number | null {
  if (!FORM.test(code)) return null;
  const totp = totpOf(secret, '');
  const now = Math.floor(nowMs / STEP_MS);
  let found: number | null = null;
  for (let step = now - SKEW; step <= now + SKEW; step += 1) {
    const isEqual = timingSafeEqual(Buffer.from(totp.generate({ timestamp: step * STEP_MS })), Buffer.from(code));
    if (isEqual && step > lastStep) found ??= step;
  }
  return found;
}

function totpOf(secret: string, label: string): TOTP {
  const of = { algorithm: 'SHA1', digits: 6, period: STEP_MS / 1000 };
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), ...of });
}
