import { randomBytes, randomUUID as uuidV4 } from 'node:crypto';
import { StoreUnreachable } from '@countersign/document-store';
import { HttpRefusal } from '@countersign/http-edge';
import type { Role, SignedIn, SingleSignOnRefusal } from '@countersign/contracts';
import type { Config } from '@countersign/process';
import type { ServiceContext } from '@countersign/service-kit';
import { losesLastAdmin, revoked, signedInAs, withRole } from '../domain/members.js';
import type { Subject, User } from '../domain/members.js';
import type { Change, Publication } from '../publication.js';
import {
  byUser,
  secondFactorChanged,
  signedIn,
  signInFailed,
  SYSTEM,
  userChanged,
  userCreated,
} from '../trail/acts.js';
import type { Act } from '@countersign/topics';
import type { AttemptQueue } from '../sign-in/attempt-queue.js';
import { endLateSessions } from '../sign-in/end-late-sessions.js';
import { hashPassword } from '../sign-in/passwords.js';
import { newSession } from '../sign-in/new-session.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { IdentityStore } from '../store/port.js';
import { roleOfClaims, verifiedEmail } from './claims.js';
import type { ProviderClaims } from './claims.js';
import type { Provider } from './provider.js';
import type { RefusalCounter } from './refusal-counter.js';
import { ProviderUnavailable, SignInRefused } from './refused.js';
import type { SignInFlow, SignInFlows } from './sign-in-flow.js';

type SingleSignOnConfig = Config['singleSignOn'] & object;

const START = '/v1/auth/oidc/start';
const CALLBACK = '/v1/auth/oidc/callback';
const RETRY = { 'Retry-After': '5' };
const MOST_ATTEMPTS = 5;
const METHOD = 'single_sign_on';

/** Sign-in at the provider of the installation. */
export class SingleSignOn {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock' | 'log' | 'publicUrl'>,
    private readonly config: SingleSignOnConfig,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
    private readonly signIn: Pick<SignIn, 'signedIn'>,
    private readonly queue: AttemptQueue,
    private readonly flows: SignInFlows,
    private readonly provider: Pick<Provider, 'authorizationUrl' | 'redeem'>,
    private readonly refusals: RefusalCounter,
  ) {}

  /** For sign-in pages. */
  offer(): { readonly label: string; readonly url: string } {
    return { label: this.config.label, url: this.context.publicUrl() + START };
  }

  /** @returns the address of the provider, and the cookie for the browser @throws HttpRefusal 503 */
  async start(): Promise<{ readonly location: string; readonly cookie: string }> {
    const flow = this.flows.begin();
    try {
      const location = await this.provider.authorizationUrl(flow, this.context.publicUrl() + CALLBACK);
      return { location, cookie: flow.cookie };
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      this.#countUnavailable(error);
      throw new HttpRefusal(503, this.#awayText(), RETRY);
    }
  }

  /**
   * Opens the session of a sign-in, once.
   * @param query of the return from the provider, without the question mark
   * @param cookie of the browser; `null`: it has none
   * @returns the session, or the reason why there is none
   */
  async finish(query: string, cookie: string | null, remoteAddress: string): Promise<SignedIn | SingleSignOnRefusal> {
    try {
      const returned = new URL(`${this.context.publicUrl() + CALLBACK}?${query}`);
      const flow = this.#flowOf(returned.searchParams.get('state'), cookie);
      if ((await this.store.session(flow.sessionId)) !== null) throw used();
      const claims = await this.provider.redeem(returned, flow);
      return await this.#admit(claims, flow.sessionId, remoteAddress);
    } catch (error) {
      if (isUnavailable(error)) return this.#countUnavailable(error);
      if (!(error instanceof SignInRefused)) throw error;
      this.context.log.warn({ reason: error.reason, why: error.message }, 'a sign-in at the provider was refused');
      this.refusals.inc({ reason: error.reason });
      return error.reason;
    }
  }

  #flowOf(state: string | null, cookie: string | null): SignInFlow {
    const flow = cookie === null ? null : this.flows.resume(cookie);
    if (flow === null) throw new SignInRefused('stale', 'the browser has no sign-in under way');
    if (state !== flow.state) throw new SignInRefused('stale', 'the state is that of another sign-in');
    return flow;
  }

  #countUnavailable({ message: why }: Error): SingleSignOnRefusal {
    this.context.log.error({ why }, 'a sign-in at the provider cannot be completed at the moment');
    this.refusals.inc({ reason: 'unavailable' });
    return 'unavailable';
  }

  #awayText(): string {
    const { label, refusesPasswords } = this.config;
    const otherWay = refusesPasswords
      ? '; if that does not help, the operator runs `countersign admin user EMAIL`'
      : ', or sign in with a password';
    return `${label} cannot be reached at the moment: try again${otherWay}`;
  }

  async #admit(claims: ProviderClaims, sessionId: string, remoteAddress: string): Promise<SignedIn> {
    const subject: Subject = { issuer: this.config.issuer, sub: claims.sub };
    const role = this.config.roles === null ? null : roleOfClaims(claims, this.config.roles);
    let unknownHash: string | null = null;
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
      const found = await this.#find(claims, subject, role);
      if (this.config.roles !== null && role === null) {
        await this.#end(found, 'role', remoteAddress);
        throw new SignInRefused('role', `no value of ${this.config.roles.claim} gives a role`);
      }
      const account = await this.store.account(found.accountId);
      const members = await this.store.members(found.accountId);
      if (account === null || members === null) throw new SignInRefused('unknown', 'the account does not exist');
      if (losesLastAdmin(found, role ?? found.role, members.admins)) {
        await this.#end(found, 'last-admin', remoteAddress);
        throw new SignInRefused('last-admin', 'the claim takes the role of the last admin');
      }
      const isFirst = this.#isFirst(found);
      let before = found;
      // Who added the user, or registered with the address, knows the password, and may have enrolled the second factor.
      if (isFirst && found.version > 0) {
        unknownHash ??= await this.#unknownPassword(found.email);
        const { secondFactor: _of, ...kept } = found;
        before = { ...kept, passwordHash: unknownHash };
      }
      const user = signedInAs(before, subject, role ?? found.role);
      const session = newSession(user, this.context.clock(), sessionId);
      const isSame = user === found;
      const acts = actsOf(found, user, signedIn(user, session, METHOD, remoteAddress, isFirst ? { bound: true } : {}));
      const write: Change = isSame
        ? { sessions: [session], expectedUser: user, acts }
        : {
            users: [user],
            sessions: [...(await this.#changed(found, user)), session],
            members: { accountId: user.accountId, version: members.version },
            acts,
          };
      if ((await this.publication.write(write)) === 'written') {
        if (isFirst) await endLateSessions(this.publication, this.store, user.id, this.context.clock, sessionId);
        return this.signIn.signedIn(account, user, session);
      }
      if ((await this.store.session(sessionId)) !== null) throw used();
    }
    throw new HttpRefusal(503, 'the user was changed at the same time: sign in again', { 'Retry-After': '1' });
  }

  /**
   * The user with this subject; before the first sign-in, the one with the e-mail address; else one to be added, at version 0.
   * @throws SignInRefused
   */
  async #find(claims: ProviderClaims, subject: Subject, role: Role | null): Promise<User> {
    const known = await this.store.userBySubject(subject);
    const email = known === null ? verifiedEmail(claims) : known.email;
    if (email === null) throw new SignInRefused('email', 'the provider names no verified e-mail address');
    const user = known ?? (await this.store.userByEmail(email));
    const { accountId, createsUsers, issuer } = this.config;
    if (user === null) {
      if (createsUsers && accountId !== null) return this.#newUser(accountId, email, role ?? 'auditor');
      throw new SignInRefused('unknown', 'no user and no invitation has the e-mail address');
    }
    if (accountId !== null && user.accountId !== accountId) {
      throw new SignInRefused('account', `user ${user.id} is of another account`);
    }
    if (user.subject?.issuer === issuer && user.subject.sub !== subject.sub) {
      throw new SignInRefused('subject', `user ${user.id} signs in as another subject`);
    }
    return user;
  }

  async #newUser(accountId: string, email: string, role: Role): Promise<User> {
    const passwordHash = await this.#unknownPassword(email);
    const createdAt = new Date(this.context.clock()).toISOString();
    return { id: uuidV4(), version: 0, accountId, email, role, passwordHash, createdAt, invited: true };
  }

  /** The hash of a random password that is not kept, so that sign-ins with a password fail like all others. */
  async #unknownPassword(email: string): Promise<string> {
    return this.queue.run(email, () => hashPassword(randomBytes(32).toString('base64url')));
  }

  #isFirst({ subject }: User): boolean {
    return subject?.issuer !== this.config.issuer;
  }

  /** Open sessions, changed with their user: ended at the first sign-in, which may not be by who opened them. */
  async #changed(before: User, user: User): ReturnType<IdentityStore['openSessions']> {
    const open = await this.store.openSessions(user.id);
    if (this.#isFirst(before))
      return open.map((session) => revoked(session, new Date(this.context.clock()).toISOString()));
    return before.role === user.role ? [] : open.map((session) => withRole(session, user.role));
  }

  /** Ends the open sessions of a user who may no longer sign in. */
  async #end(user: User, reason: SingleSignOnRefusal, remoteAddress: string): Promise<void> {
    const { id, subject } = user;
    if (subject?.issuer !== this.config.issuer) return;
    await this.publication.change(async () => {
      const at = new Date(this.context.clock()).toISOString();
      const open = await this.store.openSessions(id);
      return {
        sessions: open.map((session) => revoked(session, at)),
        acts: [signInFailed(user, byUser(id), remoteAddress, { method: METHOD, reason })],
      };
    });
  }
}

/** The provider's claims add the user and give the role: no person of the account did. */
function actsOf(before: User, after: User, opened: Act): readonly Act[] {
  if (before.version === 0) return [userCreated(after, SYSTEM), opened];
  const hasLost = before.secondFactor !== undefined && after.secondFactor === undefined;
  return [
    ...(before.role === after.role ? [] : [userChanged(before, after, SYSTEM)]),
    ...(hasLost ? [secondFactorChanged(after, SYSTEM, 'removed')] : []),
    opened,
  ];
}

function used(): SignInRefused {
  return new SignInRefused('stale', 'this sign-in has opened its session already');
}

/** True for the causes of a 503, which the page of a person cannot show: the browser is sent to the console instead. */
function isUnavailable(error: unknown): error is Error {
  if (error instanceof ProviderUnavailable || error instanceof StoreUnreachable) return true;
  return error instanceof HttpRefusal && error.status === 503;
}
