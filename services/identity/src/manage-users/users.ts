import { randomUUID as uuidV4 } from 'node:crypto';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { Role } from '@countersign/contracts';
import { normalEmail } from '../domain/lock-out.js';
import { losesLastAdmin, revoked, withRole } from '../domain/members.js';
import type { User } from '../domain/members.js';
import type { Publication } from '../publication.js';
import { EMAIL_TAKEN } from '../refusals.js';
import { hashPassword } from '../sign-in/passwords.js';
import { byUser, userChanged, userCreated, userRemoved } from '../trail/acts.js';
import type { IdentityStore, IdentityWrite } from '../store/port.js';

const LAST_ADMIN = 'the last admin of an account stays: make another user admin first';

type Caller = Pick<SessionCaller, 'accountId' | 'userId'>;

/** Users of an account. Roles and removals apply to open sessions at once. Throws HttpRefusal. */
export class Users {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
  ) {}

  async create({ accountId, userId }: Caller, email: string, role: Role, password: string): Promise<User> {
    const user: User = {
      id: uuidV4(),
      version: 1,
      accountId,
      email: normalEmail(email),
      role,
      passwordHash: await hashPassword(password),
      createdAt: new Date(this.context.clock()).toISOString(),
    };
    const result = await this.publication.change(async () => ({
      users: [user],
      members: { accountId, version: (await this.#members(accountId)).version },
      acts: [userCreated(user, byUser(userId))],
    }));
    if (result === 'email-taken') throw new HttpRefusal(409, EMAIL_TAKEN);
    return user;
  }

  async setRole({ accountId, userId }: Caller, id: string, role: Role): Promise<User> {
    let after: User | undefined;
    await this.publication.change(async () => {
      const { user, guard } = await this.#judged(accountId, id, role);
      after = user.role === role ? user : { ...user, version: user.version + 1, role };
      if (after === user) return null;
      const sessions = await this.store.openSessions(id);
      return {
        users: [after],
        sessions: sessions.map((session) => withRole(session, role)),
        ...guard,
        acts: [userChanged(user, after, byUser(userId))],
      };
    });
    return after!;
  }

  async remove({ accountId, userId }: Caller, id: string): Promise<void> {
    await this.publication.change(async () => {
      const { user, guard } = await this.#judged(accountId, id, null);
      const sessions = await this.store.openSessions(id);
      const at = new Date(this.context.clock()).toISOString();
      return {
        removedUsers: [user],
        sessions: sessions.map((session) => revoked(session, at)),
        ...guard,
        acts: [userRemoved(user, byUser(userId))],
      };
    });
  }

  /** Counted before the user is read: the guard fails if either changes before the write. */
  async #judged(
    accountId: string,
    id: string,
    roleAfter: Role | null,
  ): Promise<{ readonly user: User; readonly guard: Pick<IdentityWrite, 'members'> }> {
    const { version, admins } = await this.#members(accountId);
    const user = await this.store.accountUser(accountId, id);
    if (user === null) throw new HttpRefusal(404, 'no such user');
    if (losesLastAdmin(user, roleAfter, admins)) throw new HttpRefusal(409, LAST_ADMIN);
    return { user, guard: { members: { accountId, version } } };
  }

  async #members(accountId: string): Promise<{ readonly version: number; readonly admins: number }> {
    const members = await this.store.members(accountId);
    if (members === null) throw new HttpRefusal(404, 'no such account');
    return members;
  }
}
