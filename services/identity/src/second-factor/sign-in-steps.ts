import { createHash, randomUUID as uuidV4 } from 'node:crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { NextStep } from '@countersign/contracts';
import type { Account, User } from '../domain/members.js';
import { openToken, sealToken } from './sealed-tokens.js';

const STEP_MS = 5 * 60 * 1000;

/** A sign-in whose password was right. */
export interface SignInStep {
  readonly step: NextStep['step'];
  readonly userId: string;
  /** Id of the one session that it may open: as session ids are unique, it opens no second one. */
  readonly sessionId: string;
  /** SHA-256 of the password's hash: a new password ends the sign-in. */
  readonly password: string;
  readonly expiresAtMs: number;
}

/** The answer to a right password that opens no session yet. */
export interface Demand {
  /** 403 with the token of the next step. */
  readonly refusal: HttpRefusal;
  readonly step: SignInStep;
}

/** The second step of sign-ins. Its token is no session: it is sealed for this purpose and accepted by no other route. */
export class SignInSteps {
  /** @param key 32 bytes, of the instance secret */
  constructor(
    private readonly key: Uint8Array,
    private readonly clock: () => number,
  ) {}

  /** For a user whose password was right. @returns `null` if there is no next step */
  demand(user: User, { facts }: Account): Demand | null {
    if (user.secondFactor !== undefined) return this.#demand(user, 'code');
    return facts.secondFactorRequired === true ? this.#demand(user, 'enrolment') : null;
  }

  /** @returns `null` if the token has expired or was issued for something else */
  open(token: string): SignInStep | null {
    return openToken<SignInStep>(token, this.key, 'sign-in', this.clock());
  }

  /** True while the user is the one whose password was right. */
  isOf({ userId, password }: SignInStep, user: User | null): user is User {
    return user?.id === userId && digest(user.passwordHash) === password;
  }

  #demand(user: User, step: NextStep['step']): Demand {
    const expiresAtMs = this.clock() + STEP_MS;
    const content: SignInStep = {
      step,
      userId: user.id,
      sessionId: uuidV4(),
      password: digest(user.passwordHash),
      expiresAtMs,
    };
    const secondFactor: NextStep = {
      token: sealToken(content, this.key, 'sign-in'),
      expiresAt: new Date(expiresAtMs).toISOString(),
      step,
    };
    const error =
      step === 'code'
        ? 'a second factor is needed: POST /v1/auth/second-factor with this token and a code'
        : 'the account requires a second factor: POST /v1/auth/second-factor/enrolment with this token';
    return { refusal: new HttpRefusal(403, error, {}, { error, secondFactor }), step: content };
  }
}

function digest(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64');
}
