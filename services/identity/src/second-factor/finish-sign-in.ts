import { HttpRefusal } from '@countersign/http-edge';
import type { SecondFactorEnrolment, SignedIn, WithRecoveryCodes } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { revoked } from '../domain/members.js';
import type { User } from '../domain/members.js';
import type { SecondFactor } from '../domain/second-factor.js';
import type { Change, Publication } from '../publication.js';
import { notNow } from '../refusals.js';
import { CountedAttempts } from '../sign-in/counted-attempts.js';
import { endLateSessions } from '../sign-in/end-late-sessions.js';
import type { FailedSignIns } from '../sign-in/failed-sign-ins.js';
import { newSession } from '../sign-in/new-session.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { IdentityStore } from '../store/port.js';
import { byUser, secondFactorChanged, signedIn } from '../trail/acts.js';
import type { Codes } from './codes.js';
import type { SignInStep, SignInSteps } from './sign-in-steps.js';
import { countWrong, refuseExhausted, withFactor } from './with-factor.js';

const MOST_ATTEMPTS = 50;

export interface SecondStep {
  readonly token: string;
  readonly code: string;
  /** For a user whose account requires a second factor, who enrols it now. */
  readonly enrolment: string | null;
}

interface Passed {
  readonly factor: SecondFactor;
  readonly recoveryCodes?: readonly string[];
}

/** The second step of a sign-in whose password was right. Throws HttpRefusal. */
export class FinishSignIn {
  readonly #attempts: CountedAttempts;

  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
    private readonly signIn: Pick<SignIn, 'signedIn'>,
    private readonly steps: SignInSteps,
    private readonly codes: Codes,
    private readonly failures: Pick<FailedSignIns, 'note'>,
  ) {
    this.#attempts = new CountedAttempts(context, store);
  }

  /** @throws HttpRefusal 401 */
  async beginEnrolment(token: string): Promise<SecondFactorEnrolment> {
    const step = this.#opened(token, 'enrolment');
    return this.codes.begin(await this.#userOf(step));
  }

  /**
   * Opens the session: a code opens one, and so does a token. Wrong codes count for the user, in the store.
   * @throws HttpRefusal 401, 403 after too many wrong codes in a row, 429
   */
  async finish({ token, code, enrolment }: SecondStep, remoteAddress: string): Promise<SignedIn & WithRecoveryCodes> {
    const step = this.#opened(token, enrolment === null ? 'code' : 'enrolment');
    const { email } = await this.#userOf(step);
    const opened = await this.#attempts.code(step.userId, email, remoteAddress, () =>
      this.#attempt(step, remoteAddress, (user) =>
        enrolment === null ? this.#used(user, code) : this.codes.enrol(user.id, enrolment, code),
      ),
    );
    if (opened !== null) return opened;
    this.failures.note(email, remoteAddress, { method: 'second_factor' });
    throw new HttpRefusal(401, 'the code is wrong, was used already, or is not of this time');
  }

  /** @param judge `null`: the code is wrong */
  async #attempt(
    step: SignInStep,
    remoteAddress: string,
    judge: (user: User) => Passed | null,
  ): Promise<(SignedIn & WithRecoveryCodes) | null> {
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
      const user = await this.#userOf(step);
      const account = await this.store.account(user.accountId);
      if (account === null) throw over();
      const passed = judge(user);
      if (passed === null) {
        await countWrong(this.publication, this.store, user.id);
        return null;
      }
      const changed = withFactor(user, passed.factor);
      const session = newSession(changed, this.context.clock(), step.sessionId);
      const isNew = step.step === 'enrolment';
      const write: Change = {
        users: [changed],
        sessions: [...(isNew ? await this.#openOnes(user.id) : []), session],
        acts: [
          ...(isNew ? [secondFactorChanged(changed, byUser(user.id), 'enrolled')] : []),
          signedIn(changed, session, 'password', remoteAddress, { secondFactor: true }),
        ],
      };
      if ((await this.publication.write(write)) === 'written') {
        if (isNew) {
          await endLateSessions(this.publication, this.store, user.id, this.context.clock, session.id);
        }
        const { recoveryCodes } = passed;
        const opened = await this.signIn.signedIn(account, changed, session);
        return recoveryCodes === undefined ? opened : { ...opened, recoveryCodes };
      }
      if ((await this.store.session(step.sessionId)) !== null) throw over();
    }
    throw notNow();
  }

  #used(user: User, code: string): Passed | null {
    const { secondFactor } = user;
    if (secondFactor === undefined) throw over();
    refuseExhausted(secondFactor);
    const factor = this.codes.use(user.id, secondFactor, code);
    return factor === null ? null : { factor };
  }

  /** Sessions that a password alone has opened: they end with the enrolment. */
  async #openOnes(userId: string): ReturnType<IdentityStore['openSessions']> {
    const at = new Date(this.context.clock()).toISOString();
    return (await this.store.openSessions(userId)).map((session) => revoked(session, at));
  }

  #opened(token: string, expected: SignInStep['step']): SignInStep {
    const step = this.steps.open(token);
    if (step?.step !== expected) throw over();
    return step;
  }

  /** The user as stored, if the step is still theirs. */
  async #userOf(step: SignInStep): Promise<User> {
    const user = await this.store.user(step.userId);
    if (!this.steps.isOf(step, user)) throw over();
    if ((user.secondFactor === undefined) !== (step.step === 'enrolment')) throw over();
    return user;
  }
}

function over(): HttpRefusal {
  return new HttpRefusal(401, 'this sign-in has expired, or was completed or changed meanwhile: sign in again');
}
