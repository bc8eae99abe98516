import type { AccountFacts, ApiKeyFacts, Role, SessionFacts } from '@countersign/contracts';

/** Versions rise by one with every change; a new one is at 1. */
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

export interface ApiKey {
  readonly id: string;
  readonly version: number;
  readonly facts: ApiKeyFacts;
  /** To the batch of the log, not to the call. */
  readonly lastUsedAt: string | null;
}

export interface Session {
  readonly id: string;
  readonly version: number;
  readonly facts: SessionFacts;
}

/** What callers see of a user. */
export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: string;
}

export function userRecord({ id, email, role, createdAt }: User): UserRecord {
  return { id, email, role, createdAt };
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

export function apiKeyRecord({ id, facts, lastUsedAt }: ApiKey): ApiKeyRecord {
  const { name, prefix, createdAt, revokedAt } = facts;
  return { id, name, prefix, createdAt, lastUsedAt, revokedAt };
}

/** Whether the account would be left without an admin. */
export function losesLastAdmin(user: User, roleAfter: Role | null, admins: number): boolean {
  return user.role === 'admin' && roleAfter !== 'admin' && admins <= 1;
}

export function revoked<T extends ApiKey | Session>(thing: T, at: string): T {
  return { ...thing, version: thing.version + 1, facts: { ...thing.facts, revokedAt: at } };
}

/** An open session follows its user's role at once. */
export function withRole(session: Session, role: Role): Session {
  return { ...session, version: session.version + 1, facts: { ...session.facts, role } };
}
