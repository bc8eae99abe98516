import { API_KEY_RIGHTS, rightsOf } from '@countersign/contracts';
import type { SecondFactor } from './second-factor.js';
import type {
  AccountFacts,
  ApiKeyFacts,
  ApiKeyRecord,
  IssuedKeyRecord,
  Role,
  SessionFacts,
  UserRecord,
} from '@countersign/contracts';

/** Versions rise by one with every change and start at 1. */
export interface Account {
  readonly id: string;
  readonly version: number;
  readonly facts: AccountFacts;
}

export interface User {
  readonly id: string;
  readonly version: number;
  readonly accountId: string;
  /** In normal form. */
  readonly email: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAt: string;
  /** Has set no password yet: the hash is that of a random one. Absent: false. */
  readonly invited?: true;
  /** The one link that sets a new password. Absent: none. */
  readonly passwordLink?: PasswordLink;
  /** Who the user is at the provider of single sign-on. Absent: has not signed in there. */
  readonly subject?: Subject;
  /** The operator has set the password where others are refused: it is usable until the next sign-in at the provider. */
  readonly passwordKept?: true;
  /** Absent: a password alone opens a session. */
  readonly secondFactor?: SecondFactor;
}

/** A person at a provider of OpenID Connect. It stays the same when the e-mail address changes. */
export interface Subject {
  readonly issuer: string;
  readonly sub: string;
}

export interface PasswordLink {
  /** Of the random part of the token, in hexadecimal digits. */
  readonly sha256: string;
  /** ms */
  readonly expiresAtMs: number;
  /** Made by the operator of the instance. Absent: false. */
  readonly byOperator?: boolean;
  /** Using it removes the second factor. Absent: false. */
  readonly resetsSecondFactor?: true;
}

export interface IssuedKey {
  readonly id: string;
  readonly version: number;
  readonly facts: ApiKeyFacts;
}

export interface ApiKey extends IssuedKey {
  /** Accurate to the batch of the log, not to the call. */
  readonly lastUsedAt: string | null;
}

export interface Session {
  readonly id: string;
  readonly version: number;
  readonly facts: SessionFacts;
}

export function userRecord({ id, email, role, createdAt, invited, secondFactor }: User): UserRecord {
  return {
    id,
    email,
    role,
    createdAt,
    ...(invited === true ? { invited } : {}),
    ...(secondFactor === undefined ? {} : { secondFactor: true }),
  };
}

export function issuedKeyRecord({ id, facts }: IssuedKey): IssuedKeyRecord {
  const { name, prefix, createdAt, first = false, agentIds = null, expiresAt = null } = facts;
  return { id, name, prefix, createdAt, first, rights: rightsOf(facts), agentIds, expiresAt };
}

export function apiKeyRecord(key: ApiKey): ApiKeyRecord {
  return { ...issuedKeyRecord(key), lastUsedAt: key.lastUsedAt, revokedAt: key.facts.revokedAt };
}

/** Converts a key without rights to the first one of its account. */
export function asFirst(key: IssuedKey): IssuedKey {
  return { ...key, version: key.version + 1, facts: { ...key.facts, first: true, rights: API_KEY_RIGHTS } };
}

/**
 * The user with a new password: no longer invited, and without a link. The second factor stays, unless the link of the operator
 * resets it; its wrong codes were by a person who knew the password before.
 */
export function withPassword(user: User, passwordHash: string): User {
  const { invited: _invited, passwordLink: _link, secondFactor, ...kept } = user;
  const changed: User = { ...kept, version: user.version + 1, passwordHash };
  if (secondFactor === undefined) return changed;
  const { wrongInARow: _wrong, ...factor } = secondFactor;
  return { ...changed, secondFactor: factor };
}

/**
 * The user after a sign-in at the provider: no longer invited, and at the first one without a link that sets a password.
 * @returns the user itself if nothing changes
 */
export function signedInAs(user: User, subject: Subject, role: Role): User {
  const { invited, passwordLink, passwordKept, ...kept } = user;
  const isKnown = user.subject?.issuer === subject.issuer && user.subject.sub === subject.sub;
  if (isKnown && user.role === role && invited === undefined && passwordKept === undefined) return user;
  const link = isKnown && passwordLink !== undefined ? { passwordLink } : {};
  return { ...kept, ...link, version: user.version + 1, role, subject };
}

/** True for an admin who can sign in: who was invited may never come. */
export function isActingAdmin({ role, invited }: Pick<User, 'role' | 'invited'>): boolean {
  return role === 'admin' && invited !== true;
}

/** True if the change would leave the account without an admin. */
export function losesLastAdmin(user: User, roleAfter: Role | null, admins: number): boolean {
  return isActingAdmin(user) && roleAfter !== 'admin' && admins <= 1;
}

export function revoked<T extends IssuedKey | Session>(thing: T, at: string): T {
  return { ...thing, version: thing.version + 1, facts: { ...thing.facts, revokedAt: at } };
}

/** Applies a change of the user's role to an open session. */
export function withRole(session: Session, role: Role): Session {
  return { ...session, version: session.version + 1, facts: { ...session.facts, role } };
}
