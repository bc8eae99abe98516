import { HttpRefusal } from '@countersign/http-edge';
import { resealed, seal, unseal } from '@countersign/process';
import type { SecondFactorEnrolment } from '@countersign/contracts';
import type { SecondFactor } from '../domain/second-factor.js';
import type { User } from '../domain/members.js';
import { hashOfCode, newRecoveryCodes, withoutCode } from './recovery-codes.js';
import { openToken, sealToken } from './sealed-tokens.js';
import { addressOf, newSecret, stepOfCode } from './time-codes.js';

const ENROLMENT_MS = 10 * 60 * 1000;
const NO_STEP = -1;

interface Pending {
  readonly userId: string;
  readonly secret: string;
  readonly expiresAtMs: number;
}

/** A second factor, and its recovery codes, which are shown once. */
export interface Enrolled {
  readonly factor: SecondFactor;
  readonly recoveryCodes: readonly string[];
}

/** Makes and compares codes. Nothing is stored here: a secret that is being enrolled is sealed in the token of its enrolment. */
export class Codes {
  /** @param key 32 bytes, of the instance secret */
  constructor(
    private readonly key: Uint8Array,
    private readonly clock: () => number,
  ) {}

  begin({ id: userId, email }: Pick<User, 'id' | 'email'>): SecondFactorEnrolment {
    const secret = newSecret();
    const expiresAtMs = this.clock() + ENROLMENT_MS;
    const enrolment = sealToken({ userId, secret, expiresAtMs } satisfies Pending, this.key, 'enrolment');
    return { enrolment, secret, uri: addressOf(secret, email), expiresAt: new Date(expiresAtMs).toISOString() };
  }

  /** @returns `null` for a wrong code, or an enrolment that has expired or is of another user */
  enrol(userId: string, enrolment: string, code: string): Enrolled | null {
    const pending = openToken<Pending>(enrolment, this.key, 'enrolment', this.clock());
    if (pending === null || pending.userId !== userId) return null;
    const lastStep = stepOfCode(pending.secret, digitsOf(code), this.clock(), NO_STEP);
    if (lastStep === null) return null;
    const enrolledAt = new Date(this.clock()).toISOString();
    const secret = seal(pending.secret, this.key, ownerOf(userId));
    return this.renewed(userId, { secret, lastStep, recoveryCodes: [], enrolledAt });
  }

  /** The second factor with other recovery codes. */
  renewed(userId: string, { recoveryKey: _replaced, ...factor }: SecondFactor): Enrolled {
    const recoveryCodes = newRecoveryCodes();
    const hashes = recoveryCodes.map((one) => hashOfCode(one, this.key, userId)!);
    return { factor: { ...factor, recoveryCodes: hashes }, recoveryCodes };
  }

  /**
   * @param given a code of the time, or a recovery code
   * @returns the second factor after its use, to be stored; `null` if it is wrong or was used
   */
  use(userId: string, { wrongInARow: _wrong, ...factor }: SecondFactor, given: string): SecondFactor | null {
    const hash = hashOfCode(given, this.#recoveryKeyOf(userId, factor), userId);
    if (hash !== null) {
      const recoveryCodes = withoutCode(factor.recoveryCodes, hash);
      return recoveryCodes === null ? null : { ...factor, recoveryCodes };
    }
    const lastStep = stepOfCode(this.#secretOf(userId, factor), digitsOf(given), this.clock(), factor.lastStep);
    return lastStep === null ? null : { ...factor, lastStep };
  }

  /**
   * The second factor under the present instance secret, from which nothing opens by the previous one. Recovery codes keep the
   * key that they were made with, sealed: their text is not known.
   * @param previous the key of the previous instance secret
   * @returns `null` where it is under the present one already
   * @throws if it opens by neither
   */
  resealed(userId: string, factor: SecondFactor, previous: Uint8Array): SecondFactor | null {
    const keys = { present: this.key, previous };
    const secret = resealed(factor.secret, keys, ownerOf(userId));
    if (secret === null) return null;
    const of = codesOf(userId);
    const recoveryKey =
      factor.recoveryKey === undefined
        ? seal(Buffer.from(previous).toString('hex'), this.key, of)
        : (resealed(factor.recoveryKey, keys, of) ?? factor.recoveryKey);
    return { ...factor, secret, recoveryKey };
  }

  #recoveryKeyOf(userId: string, { recoveryKey }: SecondFactor): Uint8Array {
    return recoveryKey === undefined ? this.key : Buffer.from(this.#open(recoveryKey, codesOf(userId)), 'hex');
  }

  #secretOf(userId: string, { secret }: SecondFactor): string {
    return this.#open(secret, ownerOf(userId));
  }

  /** @throws HttpRefusal 403 if it was sealed under another instance secret */
  #open(sealed: string, owner: string): string {
    try {
      return unseal(sealed, this.key, owner);
    } catch {
      throw new HttpRefusal(403, 'the second factor was enrolled under another instance secret: an admin resets it');
    }
  }
}

/** As authenticators show it: often with a space in the middle. */
function digitsOf(given: string): string {
  return given.replace(/[\s-]/g, '');
}

function codesOf(userId: string): string {
  return `recovery codes of ${userId}`;
}

function ownerOf(userId: string): string {
  return `second factor of ${userId}`;
}
