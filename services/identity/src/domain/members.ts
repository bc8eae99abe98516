import { API_KEY_RIGHTS, rightsOf } from '@countersign/contracts';
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

export function userRecord({ id, email, role, createdAt }: User): UserRecord {
  return { id, email, role, createdAt };
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

/** True if the change would leave the account without an admin. */
export function losesLastAdmin(user: User, roleAfter: Role | null, admins: number): boolean {
  return user.role === 'admin' && roleAfter !== 'admin' && admins <= 1;
}

export function revoked<T extends IssuedKey | Session>(thing: T, at: string): T {
  return { ...thing, version: thing.version + 1, facts: { ...thing.facts, revokedAt: at } };
}

/** Applies a change of the user's role to an open session. */
export function withRole(session: Session, role: Role): Session {
  return { ...session, version: session.version + 1, facts: { ...session.facts, role } };
}
