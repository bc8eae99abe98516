import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { BodyOf, BrowserSession, SignedIn, WithRecoveryCodes } from '@countersign/contracts';
import {
  CONSOLE_HEADER,
  cookieNameAt,
  HttpAnswer,
  HttpRefusal,
  isFromOwnPage,
  setCookie,
} from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ServiceContext } from '@countersign/service-kit';
import type { FinishSignIn } from '../second-factor/finish-sign-in.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { IdentityStore } from '../store/port.js';
import { refuseHost } from './refuse-host.js';
import { FINISH_SIGN_IN, IDENTITY_STORE, SERVICE_CONTEXT, SIGN_IN } from './tokens.js';

type OpenSessionBody = BodyOf<typeof identityRoutes.openSession>;

/** Sessions of pages: the token is in a cookie, and in no answer. */
@Controller()
export class SessionController {
  constructor(
    @Inject(SIGN_IN) private readonly signIn: SignIn,
    @Inject(FINISH_SIGN_IN) private readonly finishSignIn: FinishSignIn,
    @Inject(IDENTITY_STORE) private readonly store: IdentityStore,
    @Inject(SERVICE_CONTEXT) private readonly context: ServiceContext,
  ) {}

  @HttpRoute(identityRoutes.openSession)
  async open(
    @Input() { body, headers, remoteAddress }: RouteInput<OpenSessionBody, unknown, null>,
  ): Promise<HttpAnswer> {
    const { publicUrl } = this.context.config;
    if (headers[CONSOLE_HEADER] !== '1' || !isFromOwnPage(headers, publicUrl)) {
      throw new HttpRefusal(403, 'a session in a cookie is for pages of this service: use POST /v1/auth/login');
    }
    const name = cookieNameAt(headers, publicUrl) ?? refuseHost(publicUrl);
    const { token, ...session } = await this.#signedIn(body, remoteAddress);
    const seconds = Math.floor((Date.parse(session.expiresAt) - this.context.clock()) / 1000);
    return new HttpAnswer(200, session satisfies BrowserSession, { 'set-cookie': setCookie(name, token, seconds) });
  }

  /** By one of the three forms of the body. */
  #signedIn(
    { email = '', password = '', oneTimeToken, secondFactorToken, code = '', enrolment }: OpenSessionBody,
    remoteAddress: string,
  ): Promise<SignedIn & WithRecoveryCodes> {
    if (secondFactorToken !== undefined) {
      return this.finishSignIn.finish({ token: secondFactorToken, code, enrolment: enrolment ?? null }, remoteAddress);
    }
    return oneTimeToken === undefined
      ? this.signIn.login(email, password, remoteAddress)
      : this.signIn.once(oneTimeToken, remoteAddress);
  }

  @HttpRoute(identityRoutes.getSession)
  async get(@Input() { caller }: RouteInput): Promise<BrowserSession> {
    const [session, account] = await Promise.all([
      this.store.session(caller.sessionId),
      this.store.account(caller.accountId),
    ]);
    if (session === null || account === null) throw new HttpRefusal(401, 'the session has ended: sign in again');
    const { name, plan } = account.facts;
    return {
      expiresAt: session.facts.expiresAt,
      account: { id: account.id, name, plan },
      user: { id: caller.userId, email: caller.email, role: caller.role },
    };
  }

  @HttpRoute(identityRoutes.closeSession)
  async close(@Input() { caller, headers, remoteAddress }: RouteInput): Promise<HttpAnswer> {
    await this.signIn.logout(caller.sessionId, caller.userId, remoteAddress);
    const name = cookieNameAt(headers, this.context.config.publicUrl);
    // Not "cookies": on this machine that removes those of every other port, too.
    const cleared = { 'clear-site-data': '"storage"' };
    return HttpAnswer.empty(204, name === null ? cleared : { ...cleared, 'set-cookie': setCookie(name, '', 0) });
  }
}
