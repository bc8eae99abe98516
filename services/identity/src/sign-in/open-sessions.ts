import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import type { OpenSessionRecord } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import type { IdentityStore, Page } from '../store/port.js';
import { SESSION_MS } from './new-session.js';
import type { SignIn } from './sign-in.js';

type Caller = RouteInput['caller'];

/** Open sessions, for their user and for admins of the account. Throws HttpRefusal. */
export class OpenSessions {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: Pick<IdentityStore, 'accountUser' | 'openSessions' | 'session'>,
    private readonly signIn: Pick<SignIn, 'logout'>,
  ) {}

  /** Newest first. @throws HttpRefusal 403 for sessions of another user unless the caller is an admin, 404 */
  async of(caller: Caller, userId: string, limit: number, offset: number): Promise<Page<OpenSessionRecord>> {
    if (userId !== caller.userId) {
      if (caller.role !== 'admin') throw new HttpRefusal(403, 'sessions of others are for admins');
      if ((await this.store.accountUser(caller.accountId, userId)) === null) throw new HttpRefusal(404, 'no such user');
    }
    const now = this.context.clock();
    const open = (await this.store.openSessions(userId))
      .filter(({ facts }) => Date.parse(facts.expiresAt) > now)
      .map(({ id, facts: { expiresAt } }) => {
        const openedAt = new Date(Date.parse(expiresAt) - SESSION_MS).toISOString();
        return { id, userId, openedAt, expiresAt, current: id === caller.sessionId };
      })
      .toSorted((a, b) => (a.openedAt > b.openedAt ? -1 : 1));
    return { items: open.slice(offset, offset + limit), total: open.length };
  }

  /** Ends a session on every gateway. @throws HttpRefusal 404 */
  async end(caller: Caller, id: string, remoteAddress: string): Promise<void> {
    const session = await this.store.session(id);
    const isTheirs =
      session?.facts.accountId === caller.accountId &&
      (session.facts.userId === caller.userId || caller.role === 'admin');
    if (!isTheirs || session.facts.revokedAt !== null) throw new HttpRefusal(404, 'no such session: list them again');
    await this.signIn.logout(id, caller.userId, remoteAddress);
  }
}
