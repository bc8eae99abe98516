import { randomUUID as uuidV4 } from 'node:crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import type { ServiceContext, SessionTokens } from '@countersign/service-kit';
import type { SignedIn } from '@countersign/contracts';
import { normalEmail } from '../domain/lock-out.js';
import { revoked, withPassword } from '../domain/members.js';
import type { Account, Session, User } from '../domain/members.js';
import { onPlan } from '../domain/plans.js';
import { EMAIL_TAKEN } from '../refusals.js';
import type { Publication } from '../publication.js';
import { byUser, passwordChanged, signedIn, signedOut, userCreated } from '../trail/acts.js';
import type { SignInMethod } from '../trail/acts.js';
import type { IdentityStore } from '../store/port.js';
import type { Confirmations, PendingRegistration } from './confirmation.js';
import type { AttemptQueue } from './attempt-queue.js';
import { CountedAttempts } from './counted-attempts.js';
import { endLateSessions } from './end-late-sessions.js';
import { newSession } from './new-session.js';
import type { FailedSignIns } from './failed-sign-ins.js';
import { hashPassword } from './passwords.js';
import { passwordRefused, passwordsAreRefused } from '../single-sign-on/password-rule.js';
import type { SignInSteps } from '../second-factor/sign-in-steps.js';
import type { OneTimeLinks } from './one-time-links.js';
import type { Passwords } from './passwords.js';

const RETRY = { 'Retry-After': '5' };

/** Opens and ends sessions. A resolved change applies on every gateway. Throws HttpRefusal. */
export class SignIn {
  readonly #attempts: CountedAttempts;

  constructor(
    private readonly context: Pick<ServiceContext, 'clock' | 'config'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
    private readonly tokens: SessionTokens,
    private readonly passwords: Passwords,
    /** `null`: there is no mail server, and a registration creates its account at once. */
    private readonly confirmations: Confirmations | null,
    private readonly links: OneTimeLinks,
    private readonly queue: AttemptQueue,
    private readonly steps: Pick<SignInSteps, 'demand'>,
    private readonly failures: Pick<FailedSignIns, 'note' | 'noteUnlessOpened'>,
  ) {
    this.#attempts = new CountedAttempts(context, store);
  }

  /**
   * Answers an unknown address and a wrong password alike, in about the same time.
   * @throws HttpRefusal 401, 403 for a user who signs in at the provider or needs a second factor, 429
   */
  async login(email: string, password: string, remoteAddress: string): Promise<SignedIn> {
    const address = normalEmail(email);
    // By address and caller: attempts from elsewhere do not delay the owner.
    const opened = await this.queue.run(`${address} ${remoteAddress}`, () =>
      this.#attempts.login(address, remoteAddress, () => this.#attempt(address, password, remoteAddress)),
    );
    if (opened !== null) return opened;
    this.failures.note(address, remoteAddress);
    throw new HttpRefusal(401, 'wrong e-mail address or password');
  }

  /**
   * Opens a session by the token of a link.
   * @throws HttpRefusal 401 if it was used, has expired or was never issued, 403 for a user who needs a second factor
   */
  async once(token: string, remoteAddress: string): Promise<SignedIn> {
    const userId = this.links.take(token);
    const user = userId === null ? null : await this.store.user(userId);
    const opened = user === null ? null : await this.#open(user, 'link', remoteAddress);
    if (opened === null)
      throw new HttpRefusal(401, 'this link was used already, or its time is over: make another one');
    return opened;
  }

  /**
   * Registers a sandbox account with its first admin. With a mail server the address must confirm it, and the answer is
   * the same whether the address has an account or not: `null`. Without one, 409 reveals that it has.
   */
  async register(
    given: string,
    password: string,
    accountName: string,
    remoteAddress: string,
  ): Promise<SignedIn | null> {
    const email = normalEmail(given);
    await this.#attempts.registration(email, remoteAddress);
    const passwordHash = await this.queue.run(email, () => hashPassword(password));
    if (this.confirmations === null) {
      return this.#create({ accountId: uuidV4(), userId: uuidV4(), accountName, email, passwordHash }, remoteAddress);
    }
    const taken = (await this.store.userByEmail(email)) !== null;
    const sent = await (taken
      ? this.confirmations.refuse(email)
      : this.confirmations.ask({ accountName, email, passwordHash }));
    if (!sent) throw new HttpRefusal(503, 'the confirmation cannot be sent at the moment: try again', RETRY);
    return null;
  }

  /** @throws HttpRefusal 400 for an invalid or expired token, 409 if it was used or the address is taken */
  async confirm(token: string, remoteAddress: string): Promise<SignedIn> {
    const pending = this.confirmations?.open(token) ?? null;
    if (pending === null) throw new HttpRefusal(400, 'the token is not valid, or its hour is over: register again');
    return this.#create(pending, remoteAddress);
  }

  async #create(of: Omit<PendingRegistration, 'expiresAt'>, remoteAddress: string): Promise<SignedIn> {
    const now = this.context.clock();
    const account: Account = { id: of.accountId, version: 1, facts: onPlan(of.accountName, 'sandbox', {}, now) };
    const user: User = {
      id: of.userId,
      version: 1,
      accountId: account.id,
      email: of.email,
      role: 'admin',
      passwordHash: of.passwordHash,
      createdAt: new Date(now).toISOString(),
    };
    const session = newSession(user, now);
    const result = await this.publication.write({
      ...{ accounts: [account], users: [user], sessions: [session] },
      acts: [userCreated(user, byUser(user.id)), signedIn(user, session, 'registration', remoteAddress)],
    });
    if (result === 'email-taken') throw new HttpRefusal(409, EMAIL_TAKEN);
    if (result === 'conflict') throw new HttpRefusal(409, 'the registration is confirmed already: sign in');
    return this.signedIn(account, user, session);
  }

  /** @param by id of the user who ends it */
  async logout(sessionId: string, by: string, remoteAddress: string): Promise<void> {
    await this.publication.change(async () => {
      const session = await this.store.session(sessionId);
      if (session === null || session.facts.revokedAt !== null) return null;
      return {
        sessions: [revoked(session, new Date(this.context.clock()).toISOString())],
        acts: [signedOut(session, byUser(by), remoteAddress)],
      };
    });
  }

  /**
   * Changes the password and ends all other sessions of the user. Wrong passwords count like those of a login.
   * @throws HttpRefusal 403 if the current password is wrong, 429
   */
  async changePassword(
    { accountId, userId, email, sessionId }: RouteInput['caller'],
    current: string,
    next: string,
    remoteAddress: string,
  ): Promise<void> {
    const changed = await this.queue.run(`${email} ${remoteAddress}`, () =>
      this.#attempts.login(email, remoteAddress, async () => {
        const compared = await this.store.user(userId);
        if (!(await this.passwords.match(compared?.passwordHash ?? null, current))) return null;
        const passwordHash = await hashPassword(next);
        await this.publication.change(async () => {
          const members = await this.store.members(accountId);
          const user = await this.store.user(userId);
          if (user === null || members === null || user.passwordHash !== compared?.passwordHash) throw wrongPassword();
          const open = await this.store.openSessions(userId);
          const at = new Date(this.context.clock()).toISOString();
          return {
            users: [withPassword(user, passwordHash)],
            sessions: open.filter(({ id }) => id !== sessionId).map((session) => revoked(session, at)),
            members: { accountId, version: members.version },
            acts: [passwordChanged(user, remoteAddress)],
          };
        });
        await endLateSessions(this.publication, this.store, userId, this.context.clock, sessionId);
        return true;
      }),
    );
    if (changed !== null) return;
    this.failures.note(email, remoteAddress, { method: 'password', reason: 'password-change' });
    throw wrongPassword();
  }

  async #attempt(address: string, password: string, remoteAddress: string): Promise<SignedIn | null> {
    const user = await this.store.userByEmail(address);
    const matches = await this.passwords.match(user?.passwordHash ?? null, password);
    if (!matches || user === null) return null;
    const { singleSignOn } = this.context.config;
    return this.#open(user, 'password', remoteAddress, (current) => {
      if (!passwordsAreRefused(current, singleSignOn)) return;
      this.failures.note(address, remoteAddress, { method: 'password', reason: 'password-refused' });
      throw passwordRefused(403, singleSignOn);
    });
  }

  /**
   * Resolves to `null` if the user was removed or the password changed since the user was read.
   * @param judge throws for a user who may not sign in in this way
   * @throws HttpRefusal 403 with the token of the second step for a user who needs a second factor
   */
  async #open(
    compared: User,
    method: SignInMethod & ('password' | 'link'),
    remoteAddress: string,
    judge: (user: User) => void = () => undefined,
  ): Promise<SignedIn | null> {
    const account = await this.store.account(compared.accountId);
    for (let user: User | null = compared; user !== null && account !== null;) {
      if (user.passwordHash !== compared.passwordHash) return null;
      judge(user);
      const next = this.steps.demand(user, account);
      if (next !== null) {
        this.failures.noteUnlessOpened(user.email, remoteAddress, method, next.step);
        throw next.refusal;
      }
      const session = newSession(user, this.context.clock());
      const expectedUser = { id: user.id, version: user.version };
      const acts = [signedIn(user, session, method, remoteAddress)];
      const result = await this.publication.write({ sessions: [session], expectedUser, acts });
      if (result === 'written') return this.signedIn(account, user, session);
      user = await this.store.user(user.id);
    }
    return null;
  }

  /** The answer to a sign-in whose session is written. */
  async signedIn({ id, facts }: Account, user: User, session: Session): Promise<SignedIn> {
    const { expiresAt } = session.facts;
    return {
      token: await this.tokens.sign({ sid: session.id, accountId: id }, new Date(expiresAt)),
      expiresAt,
      account: { id, name: facts.name, plan: facts.plan },
      user: { id: user.id, email: user.email, role: user.role },
    };
  }
}

function wrongPassword(): HttpRefusal {
  return new HttpRefusal(403, 'the current password is wrong');
}
