import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { BodyOf, SignedIn } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { SignIn } from '../sign-in/sign-in.js';
import { SERVICE_CONTEXT, SIGN_IN } from './tokens.js';

type PublicInput<R extends 'login' | 'register' | 'confirmRegistration'> = RouteInput<
  BodyOf<(typeof identityRoutes)[R]>,
  unknown,
  null
>;

@Controller()
export class AuthController {
  constructor(
    @Inject(SIGN_IN) private readonly signIn: SignIn,
    @Inject(SERVICE_CONTEXT) private readonly context: ServiceContext,
  ) {}

  @HttpRoute(identityRoutes.login)
  login(@Input() { body, remoteAddress }: PublicInput<'login'>): Promise<SignedIn> {
    return this.signIn.login(body.email, body.password, remoteAddress);
  }

  @HttpRoute(identityRoutes.logout)
  logout(@Input() { caller, remoteAddress }: RouteInput): Promise<void> {
    return this.signIn.logout(caller.sessionId, caller.userId, remoteAddress);
  }

  @HttpRoute(identityRoutes.changePassword)
  changePassword(
    @Input() { caller, body, remoteAddress }: RouteInput<BodyOf<typeof identityRoutes.changePassword>>,
  ): Promise<void> {
    return this.signIn.changePassword(caller, body.currentPassword, body.newPassword, remoteAddress);
  }

  @HttpRoute(identityRoutes.register)
  async register(@Input() { body, remoteAddress }: PublicInput<'register'>): Promise<SignedIn | HttpAnswer> {
    this.#open();
    const signedIn = await this.signIn.register(body.email, body.password, body.accountName, remoteAddress);
    return signedIn ?? HttpAnswer.text(202, 'application/json', JSON.stringify({ confirmation: 'sent' }));
  }

  @HttpRoute(identityRoutes.confirmRegistration)
  async confirm(@Input() { body, remoteAddress }: PublicInput<'confirmRegistration'>): Promise<SignedIn> {
    this.#open();
    return this.signIn.confirm(body.token, remoteAddress);
  }

  #open(): void {
    if (!this.context.config.openRegistration) throw new HttpRefusal(404, 'registration is not open here');
  }
}
