/** The second factor of a user, a member of the user's document: each use changes the version of the user. */
export interface SecondFactor {
  /** Sealed: the secret of time-based codes, in base32. */
  readonly secret: string;
  /** Time step of the newest code that was used: neither it nor an earlier one is accepted (RFC 6238 section 5.2). */
  readonly lastStep: number;
  /** HMAC of each recovery code that was not used, in hexadecimal digits. */
  readonly recoveryCodes: readonly string[];
  /** Sealed: the key of `recoveryCodes`, where an earlier instance secret made them. Absent: the key of the present one. */
  readonly recoveryKey?: string;
  readonly enrolledAt: string;
  /** Wrong codes since the last right one. Absent: 0. */
  readonly wrongInARow?: number;
}

/** Codes of the user are refused from then on (NIST SP 800-63B section 3.2.2): with the password, guesses could continue for years. */
export const MOST_WRONG_IN_A_ROW = 100;
/** Wrong codes within 15 minutes, from all IPs: who knows no password cannot cause them. */
export const WRONG_CODES_PER_USER = 5;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SEALED = /^[A-Za-z0-9+/]{40,}={0,2}$/;
const HMAC = /^[0-9a-f]{64}$/;

/** For `fsck`. */
export function isSecondFactor({
  secret,
  lastStep,
  recoveryCodes,
  recoveryKey,
  enrolledAt,
  wrongInARow = 0,
}: SecondFactor): boolean {
  const numbers = Number.isSafeInteger(lastStep) && Number.isSafeInteger(wrongInARow) && wrongInARow >= 0;
  const sealed = SEALED.test(secret) && (recoveryKey === undefined || SEALED.test(recoveryKey));
  return numbers && sealed && TIME.test(enrolledAt) && recoveryCodes.every((code) => HMAC.test(code));
}
