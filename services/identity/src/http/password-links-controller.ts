import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { BodyOf, InvitationRecord, PasswordLinkRecord } from '@countersign/contracts';
import { HttpAnswer } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import { userRecord } from '../domain/members.js';
import type { PasswordLinks } from '../sign-in/password-links.js';
import { idOf } from './paths.js';
import { PASSWORD_LINKS } from './tokens.js';

type PublicInput<R extends 'setPasswordByLink' | 'forgotPassword'> = RouteInput<
  BodyOf<(typeof identityRoutes)[R]>,
  unknown,
  null
>;

@Controller()
export class PasswordLinksController {
  constructor(@Inject(PASSWORD_LINKS) private readonly links: PasswordLinks) {}

  @HttpRoute(identityRoutes.invite)
  async invite(
    @Input() { caller, body, remoteAddress }: RouteInput<BodyOf<typeof identityRoutes.invite>>,
  ): Promise<InvitationRecord> {
    const { user, ...link } = await this.links.invite(caller, body.email, body.role, remoteAddress);
    return { user: userRecord(user), ...link };
  }

  @HttpRoute(identityRoutes.makePasswordLink)
  make(@Input() { caller, params, remoteAddress }: RouteInput): Promise<PasswordLinkRecord> {
    return this.links.make(caller, idOf(params), remoteAddress);
  }

  @HttpRoute(identityRoutes.forgotPassword)
  async forgotten(@Input() { body, remoteAddress }: PublicInput<'forgotPassword'>): Promise<HttpAnswer> {
    await this.links.forgotten(body.email, remoteAddress);
    return HttpAnswer.text(202, 'application/json', JSON.stringify({ link: 'sent if the address has a user' }));
  }

  @HttpRoute(identityRoutes.setPasswordByLink)
  set(@Input() { body, remoteAddress }: PublicInput<'setPasswordByLink'>): Promise<void> {
    return this.links.use(body.token, body.newPassword, remoteAddress);
  }
}
