import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import { HttpRefusal, HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput, ServiceContext } from '@countersign/service-kit';
import type { SignedIn, SignIn } from '../sign-in/sign-in.js';
import { SERVICE_CONTEXT, SIGN_IN } from './tokens.js';

interface Credentials {
  readonly email: string;
  readonly password: string;
}
interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}
interface Registration extends Credentials {
  readonly accountName: string;
}

@Controller()
export class AuthController {
  constructor(
    @Inject(SIGN_IN) private readonly signIn: SignIn,
    @Inject(SERVICE_CONTEXT) private readonly context: ServiceContext,
  ) {}

  @HttpRoute(identityRoutes.login)
  login(@Input() { body, remoteAddress }: RouteInput<Credentials, unknown, null>): Promise<SignedIn> {
    return this.signIn.login(body.email, body.password, remoteAddress);
  }

  @HttpRoute(identityRoutes.logout)
  logout(@Input() { caller }: RouteInput): Promise<void> {
    return this.signIn.logout(caller.sessionId);
  }

  @HttpRoute(identityRoutes.changePassword)
  changePassword(@Input() { caller, body, remoteAddress }: RouteInput<PasswordChange>): Promise<void> {
    return this.signIn.changePassword(caller, body.currentPassword, body.newPassword, remoteAddress);
  }

  @HttpRoute(identityRoutes.register)
  async register(@Input() { body, remoteAddress }: RouteInput<Registration, unknown, null>): Promise<SignedIn> {
    if (!this.context.config.openRegistration) throw new HttpRefusal(404, 'registration is not open here');
    return this.signIn.register(body.email, body.password, body.accountName, remoteAddress);
  }
}
