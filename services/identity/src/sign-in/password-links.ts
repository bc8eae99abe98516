import { createHash, randomBytes, randomUUID as uuidV4, timingSafeEqual } from 'node:crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import type { AccountActor, PasswordLinkRecord, Role } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import type { Mailer } from '@countersign/service-kit/mail';
import { normalEmail } from '../domain/lock-out.js';
import { revoked, withPassword } from '../domain/members.js';
import type { PasswordLink, User } from '../domain/members.js';
import { uuidOfBytes } from '../domain/uuid-of-bytes.js';
import type { Publication } from '../publication.js';
import { byUser, OPERATOR, passwordChanged, passwordLinkMade, UNKNOWN, userCreated } from '../trail/acts.js';
import { EMAIL_TAKEN } from '../refusals.js';
import { passwordRefused, passwordsAreRefused } from '../single-sign-on/password-rule.js';
import type { IdentityStore } from '../store/port.js';
import type { AttemptQueue } from './attempt-queue.js';
import { CountedAttempts } from './counted-attempts.js';
import { linkMail } from './link-mail.js';
import { endLateSessions } from './end-late-sessions.js';
import { hashPassword } from './passwords.js';

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const HOUR_MS = 3600 * 1000;
const RESET_MS = 24 * HOUR_MS;
const INVITATION_MS = 7 * 24 * HOUR_MS;
const RETRY = { 'Retry-After': '5' };

type Caller = Pick<RouteInput['caller'], 'accountId' | 'userId' | 'email'>;

/** A link that was made, and its user with it. */
interface Made {
  readonly user: User;
  readonly link: string;
  readonly expiresAt: string;
}

/**
 * Links by which a user sets a password, for invitations and for passwords that are lost. A user has at most one; it is a member
 * of the user's document, so that using it, replacing it and removing the user exclude each other. Throws HttpRefusal.
 */
export class PasswordLinks {
  readonly #attempts: CountedAttempts;
  readonly #sending = new Set<Promise<void>>();

  constructor(
    private readonly context: Pick<ServiceContext, 'clock' | 'config' | 'log' | 'publicUrl'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
    private readonly queue: AttemptQueue,
    /** `null`: there is no mail server, and an admin hands the links over. */
    private readonly mailer: Mailer | null,
  ) {
    this.#attempts = new CountedAttempts(context, store);
  }

  /** Adds a user without a password. A repetition for a user of the account who has set none makes a new link. */
  async invite(
    caller: Caller,
    given: string,
    role: Role,
    remoteAddress: string,
  ): Promise<PasswordLinkRecord & { readonly user: User }> {
    const email = normalEmail(given);
    const { accountId } = caller;
    await this.#attempts.link(email, accountId, remoteAddress);
    // A password that is not kept, so that its sign-ins fail like all others.
    const passwordHash = await this.queue.run(email, () =>
      hashPassword(randomBytes(SECRET_BYTES).toString('base64url')),
    );
    const createdAt = new Date(this.context.clock()).toISOString();
    const made = await this.#write(accountId, byUser(caller.userId), remoteAddress, async () => {
      const known = await this.store.userByEmail(email);
      if (known === null) {
        return { id: uuidV4(), version: 0, accountId, email, role, passwordHash, createdAt, invited: true };
      }
      if (known.accountId !== accountId || known.invited !== true) throw new HttpRefusal(409, EMAIL_TAKEN);
      if (known.role !== role) {
        throw new HttpRefusal(409, `the address is invited as ${known.role}: change the role of that user`);
      }
      return known;
    });
    return { user: made!.user, ...(await this.#delivered(made!, caller.email)) };
  }

  /** @throws HttpRefusal 404, 409 for a link for the caller or for a user whose passwords are refused */
  async make(caller: Caller, id: string, remoteAddress: string): Promise<PasswordLinkRecord> {
    const user = await this.store.accountUser(caller.accountId, id);
    if (user === null) throw noSuchUser();
    if (id === caller.userId) {
      throw new HttpRefusal(409, 'you change your own password with the current one: POST /v1/auth/password');
    }
    if (this.#isRefused(user)) throw passwordRefused(409, this.context.config.singleSignOn);
    await this.#attempts.link(user.email, caller.accountId, remoteAddress);
    const read = (): Promise<User | null> => this.store.accountUser(caller.accountId, id);
    const made = await this.#write(caller.accountId, byUser(caller.userId), remoteAddress, read);
    if (made === null) throw noSuchUser();
    return this.#delivered(made, caller.email);
  }

  /** Sends a link if the address has a user. Resolves before that is known, so that its time does not tell. */
  async forgotten(given: string, remoteAddress: string): Promise<void> {
    if (this.mailer === null) {
      throw new HttpRefusal(404, 'there is no mail server here: ask an admin of your account for a link');
    }
    const email = normalEmail(given);
    await this.#attempts.link(email, null, remoteAddress);
    const sending = this.#sendForgotten(email, remoteAddress).catch((error: unknown) => {
      this.context.log.warn({ err: error }, 'a link that sets a password was not sent');
    });
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  /**
   * Sets the password, ends all sessions of the user, and ends the link.
   * @throws HttpRefusal 400, 403 for a user whose passwords are refused unless the operator made the link, 429
   */
  async use(token: string, password: string, remoteAddress: string): Promise<void> {
    const bytes = Buffer.from(token, 'base64url');
    const userId = uuidOfBytes(bytes.subarray(0, ID_BYTES));
    const digest = createHash('sha256').update(bytes.subarray(ID_BYTES)).digest();
    const isSet = await this.#attempts.linkUse(userId, remoteAddress, async () => {
      if (!this.#opens(await this.store.user(userId), digest)) return false;
      const passwordHash = await this.queue.run(userId, () => hashPassword(password));
      let isOpen = false;
      await this.publication.change(async () => {
        const user = await this.store.user(userId);
        isOpen = this.#opens(user, digest);
        if (!isOpen || user === null) return null;
        const { accountId } = user;
        const members = await this.store.members(accountId);
        if (members === null) return null;
        const isRefused = this.#isRefused(user);
        if (isRefused && user.passwordLink?.byOperator !== true) {
          throw passwordRefused(403, this.context.config.singleSignOn);
        }
        const changed = withPassword(
          user.passwordLink?.resetsSecondFactor === true ? withoutFactor(user) : user,
          passwordHash,
        );
        const at = new Date(this.context.clock()).toISOString();
        const sessions = (await this.store.openSessions(userId)).map((session) => revoked(session, at));
        return {
          users: [isRefused ? { ...changed, passwordKept: true } : changed],
          sessions,
          members: { accountId, version: members.version },
          acts: [
            passwordChanged(user, remoteAddress, {
              link: user.passwordLink?.byOperator === true ? 'operator' : 'user',
              ...(user.passwordLink?.resetsSecondFactor === true ? { secondFactor: 'reset' } : {}),
            }),
          ],
        };
      });
      if (isOpen) await endLateSessions(this.publication, this.store, userId, this.context.clock);
      return isOpen;
    });
    if (isSet) return;
    throw new HttpRefusal(
      400,
      'this link was used, has expired or was replaced by a newer one: ask an admin of your account for another one',
    );
  }

  /**
   * For the operator of the instance.
   * @param resetsSecondFactor using the link removes the second factor of the user
   * @returns `null` if no user has the address
   */
  async forOperator(
    email: string,
    resetsSecondFactor: boolean,
  ): Promise<{ readonly link: string; readonly expiresAt: string } | null> {
    const user = await this.store.userByEmail(normalEmail(email));
    const link = { byOperator: true, ...(resetsSecondFactor ? { resetsSecondFactor } : {}) };
    const read = (): Promise<User | null> => this.store.user(user!.id);
    const made = user === null ? null : await this.#write(user.accountId, OPERATOR, null, read, link);
    return made === null ? null : { link: made.link, expiresAt: made.expiresAt };
  }

  /** Resolves when no e-mail is being sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  #isRefused(user: User): boolean {
    return passwordsAreRefused(user, this.context.config.singleSignOn);
  }

  #opens(user: User | null, digest: Buffer): boolean {
    const link = user?.passwordLink;
    if (link === undefined || link.expiresAtMs <= this.context.clock()) return false;
    return timingSafeEqual(Buffer.from(link.sha256, 'hex'), digest);
  }

  /**
   * Puts a new link in place of the one before.
   * @param remoteAddress IP of who makes it; `null`: the operator, on the machine
   * @param read the user as stored, or a new one at version 0; `null`: there is none
   */
  async #write(
    accountId: string,
    by: AccountActor,
    remoteAddress: string | null,
    read: () => Promise<User | null>,
    marks: Pick<PasswordLink, 'byOperator' | 'resetsSecondFactor'> = {},
  ): Promise<Made | null> {
    const secret = randomBytes(SECRET_BYTES);
    const sha256 = createHash('sha256').update(secret).digest('hex');
    let made: Made | null = null;
    const result = await this.publication.change(async () => {
      const members = await this.store.members(accountId);
      const user = await read();
      made = null;
      if (user === null || members === null) return null;
      const expiresAtMs = this.context.clock() + (user.invited === true ? INVITATION_MS : RESET_MS);
      const passwordLink = { sha256, expiresAtMs, ...marks };
      const after: User = { ...user, version: user.version + 1, passwordLink };
      const token = Buffer.concat([bytesOf(user.id), secret]).toString('base64url');
      made = {
        user: after,
        link: `${this.context.publicUrl()}/console#/password/${token}`,
        expiresAt: new Date(expiresAtMs).toISOString(),
      };
      const created = user.version === 0 ? [userCreated(after, by, { invited: true })] : [];
      return {
        users: [after],
        members: { accountId, version: members.version },
        acts: [...created, passwordLinkMade(after, by, remoteAddress)],
      };
    });
    if (result === 'email-taken') throw new HttpRefusal(409, EMAIL_TAKEN);
    return made;
  }

  /** @param by e-mail address of the admin who made it */
  async #delivered({ user, link, expiresAt }: Made, by: string): Promise<PasswordLinkRecord> {
    if (this.mailer === null) return { link, sentTo: null, expiresAt };
    if (!(await this.#send({ user, link, expiresAt }, by))) {
      const what = user.invited === true ? 'the user is invited, but the e-mail' : 'the e-mail with the link';
      throw new HttpRefusal(503, `${what} cannot be sent at the moment: try again`, RETRY);
    }
    return { link: null, sentTo: user.email, expiresAt };
  }

  async #sendForgotten(email: string, remoteAddress: string): Promise<void> {
    const user = await this.store.userByEmail(email);
    if (user === null || this.#isRefused(user)) return;
    const made = await this.#write(user.accountId, UNKNOWN, remoteAddress, () => this.store.user(user.id));
    if (made !== null && !(await this.#send(made, null))) throw new Error('the mail server refused it');
  }

  async #send({ user, link, expiresAt }: Made, by: string | null): Promise<boolean> {
    const attempt = await this.mailer!.send(linkMail({ user, link, expiresAt, by }));
    return attempt.error === null;
  }
}

function withoutFactor({ secondFactor: _factor, ...user }: User): User {
  return user;
}

function noSuchUser(): HttpRefusal {
  return new HttpRefusal(404, 'no such user');
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}
