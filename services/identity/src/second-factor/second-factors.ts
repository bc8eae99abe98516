import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import type { SecondFactorEnrolment, SecondFactorState } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { revoked } from '../domain/members.js';
import type { Session, User } from '../domain/members.js';
import type { SecondFactor } from '../domain/second-factor.js';
import type { Publication } from '../publication.js';
import type { AttemptQueue } from '../sign-in/attempt-queue.js';
import { CountedAttempts } from '../sign-in/counted-attempts.js';
import { endLateSessions } from '../sign-in/end-late-sessions.js';
import type { FailedSignIns } from '../sign-in/failed-sign-ins.js';
import type { Passwords } from '../sign-in/passwords.js';
import type { IdentityStore } from '../store/port.js';
import { accountChanged, byUser, secondFactorChanged } from '../trail/acts.js';
import type { Codes } from './codes.js';
import { countWrong, refuseExhausted, withFactor } from './with-factor.js';

type Caller = RouteInput['caller'];

/** Second factors of signed-in users, and the requirement of an account. Throws HttpRefusal. */
export class SecondFactors {
  readonly #attempts: CountedAttempts;

  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
    private readonly passwords: Passwords,
    private readonly queue: AttemptQueue,
    private readonly codes: Codes,
    private readonly failures: Pick<FailedSignIns, 'note'>,
  ) {
    this.#attempts = new CountedAttempts(context, store);
  }

  async of({ accountId, userId }: Caller): Promise<SecondFactorState> {
    const [user, account] = await Promise.all([this.store.user(userId), this.store.account(accountId)]);
    return {
      enrolledAt: user?.secondFactor?.enrolledAt ?? null,
      recoveryCodesLeft: user?.secondFactor?.recoveryCodes.length ?? 0,
      required: account?.facts.secondFactorRequired === true,
    };
  }

  /**
   * A session alone does not suffice: with a stolen one, its thief could lock the user out.
   * @throws HttpRefusal 403 for a wrong password, 409, 429
   */
  async begin({ userId, email }: Caller, password: string, remoteAddress: string): Promise<SecondFactorEnrolment> {
    const begun = await this.queue.run(`${email} ${remoteAddress}`, () =>
      this.#attempts.login(email, remoteAddress, async () => {
        const user = await this.#stored(userId);
        const matches = await this.passwords.match(user.passwordHash, password);
        if (!matches) return null;
        refuseSecond(user);
        return this.codes.begin(user);
      }),
    );
    if (begun !== null) return begun;
    this.failures.note(email, remoteAddress, { method: 'password', reason: 'second-factor-change' });
    throw new HttpRefusal(403, 'the password is wrong');
  }

  /** @returns the recovery codes @throws HttpRefusal 403, 409 */
  async enrol({ userId, sessionId }: Caller, enrolment: string, code: string): Promise<readonly string[]> {
    let recoveryCodes: readonly string[] = [];
    await this.publication.change(async () => {
      const user = await this.#stored(userId);
      refuseSecond(user);
      const enrolled = this.codes.enrol(userId, enrolment, code);
      if (enrolled === null) {
        throw new HttpRefusal(
          403,
          'the code is wrong, or the ten minutes are over: compare the clocks, or begin again',
        );
      }
      ({ recoveryCodes } = enrolled);
      return {
        users: [withFactor(user, enrolled.factor)],
        sessions: await this.#ended(userId, sessionId),
        acts: [secondFactorChanged(user, byUser(userId), 'enrolled')],
      };
    });
    await endLateSessions(this.publication, this.store, userId, this.context.clock, sessionId);
    return recoveryCodes;
  }

  /** @returns the new recovery codes @throws HttpRefusal 403, 409, 429 */
  async renewRecoveryCodes(caller: Caller, code: string, remoteAddress: string): Promise<readonly string[]> {
    let recoveryCodes: readonly string[] = [];
    await this.#byCode(caller, code, remoteAddress, 'recovery codes renewed', (factor) => {
      const renewed = this.codes.renewed(caller.userId, factor);
      ({ recoveryCodes } = renewed);
      return renewed.factor;
    });
    return recoveryCodes;
  }

  /** @throws HttpRefusal 403, 409, 429 */
  async remove(caller: Caller, code: string, remoteAddress: string): Promise<void> {
    await this.#byCode(caller, code, remoteAddress, 'removed', () => null);
  }

  /** For an admin, who learns nothing about it. @throws HttpRefusal 404, 409 for the caller */
  async reset(caller: Caller, id: string): Promise<void> {
    if (id === caller.userId) {
      throw new HttpRefusal(409, 'your own second factor is removed by a code: POST /v1/second-factor/removal');
    }
    await this.publication.change(async () => {
      const user = await this.store.accountUser(caller.accountId, id);
      if (user === null) throw new HttpRefusal(404, 'no such user');
      const users = user.secondFactor === undefined ? [] : [withFactor(user, null)];
      const by = byUser(caller.userId);
      const acts = users.map((after) => secondFactorChanged(after, by, 'removed'));
      return { users, sessions: await this.#ended(id, null), acts };
    });
    await endLateSessions(this.publication, this.store, id, this.context.clock);
  }

  async require({ accountId, userId }: Caller, required: boolean): Promise<void> {
    await this.publication.change(async () => {
      const account = await this.store.account(accountId);
      if (account === null) throw new HttpRefusal(401, 'the account of this session is gone');
      const { secondFactorRequired = false, ...facts } = account.facts;
      if (secondFactorRequired === required) return null;
      const changed = required ? { ...facts, secondFactorRequired: required } : facts;
      return {
        accounts: [{ id: account.id, version: account.version + 1, facts: changed }],
        acts: [accountChanged(account.id, 'account.second_factor_rule_changed', byUser(userId), { required })],
      };
    });
  }

  /** @param change of the second factor, once the code is right; it may be called again */
  async #byCode(
    { userId, email }: Caller,
    code: string,
    remoteAddress: string,
    what: 'recovery codes renewed' | 'removed',
    change: (factor: SecondFactor) => SecondFactor | null,
  ): Promise<void> {
    const done = await this.#attempts.code(userId, email, remoteAddress, async () => {
      let isRight = false;
      await this.publication.change(async () => {
        const user = await this.#stored(userId);
        if (user.secondFactor === undefined) throw new HttpRefusal(409, 'you have no second factor');
        refuseExhausted(user.secondFactor);
        const used = this.codes.use(userId, user.secondFactor, code);
        isRight = used !== null;
        if (used === null) return null;
        return { users: [withFactor(user, change(used))], acts: [secondFactorChanged(user, byUser(userId), what)] };
      });
      if (!isRight) await countWrong(this.publication, this.store, userId);
      return isRight ? true : null;
    });
    if (done !== null) return;
    this.failures.note(email, remoteAddress, { method: 'second_factor', reason: 'second-factor-change' });
    throw new HttpRefusal(403, 'the code is wrong, was used already, or is not of this time');
  }

  async #stored(userId: string): Promise<User> {
    const user = await this.store.user(userId);
    if (user === null) throw new HttpRefusal(401, 'the user of this session is gone');
    return user;
  }

  /** The open sessions of a user, ended. @param but id of the session that stays open */
  async #ended(userId: string, but: string | null): Promise<readonly Session[]> {
    const at = new Date(this.context.clock()).toISOString();
    const open = await this.store.openSessions(userId);
    return open.filter(({ id }) => id !== but).map((session) => revoked(session, at));
  }
}

function refuseSecond({ secondFactor }: User): void {
  if (secondFactor === undefined) return;
  throw new HttpRefusal(409, 'you have a second factor: remove it by a code, then enrol the new one');
}
