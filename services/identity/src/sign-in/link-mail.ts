import { randomUUID as uuidV4 } from 'node:crypto';
import type { Mail } from '@countersign/service-kit/mail';
import type { User } from '../domain/members.js';

/** @returns the e-mail with a link that sets a password. @param by the admin who made it; `null`: it was asked for as forgotten */
export function linkMail({
  user,
  link,
  expiresAt,
  by,
}: {
  readonly user: Pick<User, 'email' | 'invited' | 'role'>;
  readonly link: string;
  readonly expiresAt: string;
  readonly by: string | null;
}): Mail {
  const isInvited = user.invited === true;
  const why = isInvited
    ? `${by ?? 'An admin'} has invited you to Countersign, as ${user.role}. Set your password by this link:`
    : by === null
      ? 'A new Countersign password was asked for with this e-mail address. Set it by this link:'
      : `${by} has made a link for you to set a new Countersign password:`;
  const lines = [
    why,
    '',
    link,
    '',
    `It works once, until ${expiresAt}. Once the password is set, all your sessions end.`,
    'If you did not expect this message, ignore it: nothing changes without the link.',
    '',
  ];
  const subject = isInvited ? 'Countersign: your invitation' : 'Countersign: set a new password';
  return { id: uuidV4(), to: user.email, subject, text: lines.join('\n') };
}
