import { isIP } from 'node:net';
import type { AccountActor, JsonValue } from '@countersign/contracts';
import type { Act } from '@countersign/topics';
import { normalIp } from '../domain/lock-out.js';
import type { IssuedKey, Session, User } from '../domain/members.js';

export const OPERATOR: AccountActor = { kind: 'operator' };
export const SYSTEM: AccountActor = { kind: 'system' };
export const UNKNOWN: AccountActor = { kind: 'unknown' };

export function byUser(id: string): AccountActor {
  return { kind: 'user', id };
}

/** How a session was opened. */
export type SignInMethod = 'password' | 'link' | 'registration' | 'single_sign_on';

type Named = Pick<User, 'id' | 'email' | 'role'>;
type Content = Readonly<Record<string, JsonValue>>;

export function userCreated(user: User, by: AccountActor, more: Content = {}): Act {
  return aboutUser('account.user_created', user, by, more);
}

/** The role of a user was changed. */
export function userChanged(before: User, after: User, by: AccountActor): Act {
  return aboutUser('account.user_changed', after, by, { before: { role: before.role } });
}

export function userRemoved(user: User, by: AccountActor): Act {
  return aboutUser('account.user_removed', user, by);
}

/** @param address IP of the caller */
export function passwordChanged(user: User, address: string, more: Content = {}): Act {
  return aboutUser('account.password_changed', user, byUser(user.id), { ...fromAddress(address), ...more });
}

/** A second factor was enrolled, got new recovery codes, or was removed, by its user or an admin. */
export function secondFactorChanged(
  user: User,
  by: AccountActor,
  change: 'enrolled' | 'recovery codes renewed' | 'removed',
): Act {
  return aboutUser('account.user_changed', user, by, { secondFactor: change });
}

/** A link that sets a password was made: an invitation, or for a password that is lost. */
export function passwordLinkMade(user: User, by: AccountActor, address: string | null): Act {
  const invited = user.invited === true;
  return aboutUser('account.password_link_made', user, by, {
    ...fromAddress(address),
    ...(invited ? { invited } : {}),
    ...(user.passwordLink?.resetsSecondFactor === true ? { resetsSecondFactor: true } : {}),
  });
}

/** @param more members in addition */
export function signedIn(user: User, { id }: Session, how: SignInMethod, address: string, more: Content = {}): Act {
  const content = { method: how, session: { id }, ...fromAddress(address), ...more };
  return { ...aboutUser('account.sign_in', user, byUser(user.id), content), outcome: 'succeeded' };
}

/** @param address `null`: of several callers @param more with the number of failures that the event stands for */
export function signInFailed(user: User, by: AccountActor, address: string | null, more: Content): Act {
  return { ...aboutUser('account.sign_in', user, by, { ...fromAddress(address), ...more }), outcome: 'failed' };
}

/** A session was ended by its user, or by an admin. */
export function signedOut({ id, facts }: Session, by: AccountActor, address: string): Act {
  const { accountId, userId, email, role } = facts;
  const user = { id: userId, email, role };
  return {
    ...{ accountId, type: 'account.sign_out', by },
    content: { user, session: { id }, ...fromAddress(address) },
  };
}

export function keyCreated(key: IssuedKey, by: AccountActor): Act {
  const { accountId, rights, agentIds, expiresAt } = key.facts;
  const powers = {
    ...(rights === undefined ? {} : { rights: [...rights] }),
    ...(agentIds === undefined ? {} : { agentIds: [...agentIds] }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  return { accountId, type: 'account.key_created', by, content: { key: { ...keyNamed(key), ...powers } } };
}

export function keyRevoked(key: IssuedKey, by: AccountActor): Act {
  return { accountId: key.facts.accountId, type: 'account.key_revoked', by, content: { key: keyNamed(key) } };
}

/** A change of the account itself. */
export function accountChanged(
  accountId: string,
  type:
    | 'account.plan_changed'
    | 'account.default_profile_changed'
    | 'account.issuers_changed'
    | 'account.second_factor_rule_changed',
  by: AccountActor,
  content: Content,
): Act {
  return { accountId, type, by, content };
}

function aboutUser(type: Act['type'], { accountId, ...user }: User, by: AccountActor, more: Content = {}): Act {
  return { accountId, type, by, content: { user: named(user), ...more } };
}

function named({ id, email, role }: Named): JsonValue {
  return { id, email, role };
}

function keyNamed({ id, facts: { name, prefix } }: IssuedKey): Readonly<Record<string, JsonValue>> {
  return { id, name, prefix };
}

function fromAddress(remoteAddress: string | null): Content {
  const address = remoteAddress === null ? '' : normalIp(remoteAddress);
  return isIP(address) === 0 ? {} : { address };
}
