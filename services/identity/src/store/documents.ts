import type { AccountFacts, ApiKeyFacts, SessionFacts } from '@countersign/contracts';
import { OLDER_LAYOUTS, POSITIONS } from '@countersign/document-store';
import type { Collection } from '@countersign/document-store';
import { isActingAdmin } from '../domain/members.js';
import type { Subject, User } from '../domain/members.js';

type None = Record<string, never>;

/** Version: the one in the topic `accounts`. */
export const ACCOUNTS: Collection<AccountFacts, None> = {
  name: 'accounts',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

/** By account; the version counts changes of the account's users. Absent: no change yet. */
export const MEMBERS: Collection<object, None> = {
  name: 'members',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

export type UserBody = Omit<User, 'id' | 'version'>;

// A type, because an interface has no index signature.
type UserKeys = { accountId: string; email: string; isAdmin: boolean; subject: string | null };

/** Issuer and `sub`, separated by a space, which no issuer contains. */
export function subjectKey({ issuer, sub }: Subject): string {
  return `${issuer} ${sub}`;
}

export const USERS: Collection<UserBody, UserKeys> = {
  name: 'users',
  keysOf: (user) => ({
    accountId: user.accountId,
    email: user.email,
    isAdmin: isActingAdmin(user),
    subject: user.subject === undefined ? null : subjectKey(user.subject),
  }),
  keys: { accountId: 'text', email: 'text', isAdmin: 'boolean', subject: 'text' },
  keysVersion: 2,
  indexes: [['accountId'], ['accountId', 'isAdmin']],
  unique: ['email', 'subject'],
};

/** Version: the one in the topic `api-keys`. */
export const API_KEYS: Collection<ApiKeyFacts, Pick<UserKeys, 'accountId'>> = {
  name: 'api_keys',
  keysOf: ({ accountId }) => ({ accountId }),
  keys: { accountId: 'text' },
  keysVersion: 1,
  indexes: [['accountId']],
};

/** Last use, by API key. Derived from the log, and in no topic. */
export const KEY_USES: Collection<{ readonly lastUsedAt: string }, None> = {
  name: 'key_uses',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

type SessionKeys = { userId: string; expiresAt: string; isOpen: boolean };

/** Version: the one in the topic `sessions`. */
export const SESSIONS: Collection<SessionFacts, SessionKeys> = {
  name: 'sessions',
  keysOf: ({ userId, expiresAt, revokedAt }) => ({ userId, expiresAt, isOpen: revokedAt === null }),
  keys: { userId: 'text', expiresAt: 'text', isOpen: 'boolean' },
  keysVersion: 1,
  indexes: [['userId', 'isOpen'], ['expiresAt']],
};

export interface FailureBody {
  readonly email: string;
  readonly ip: string;
  readonly atMs: number;
}
type FailureKeys = { email: string; ip: string; atMs: number };

/** Failed sign-ins of the last minutes. */
export const FAILURES: Collection<FailureBody, FailureKeys> = {
  name: 'login_failures',
  keysOf: ({ email, ip, atMs }) => ({ email, ip, atMs }),
  keys: { email: 'text', ip: 'text', atMs: 'number' },
  keysVersion: 1,
  indexes: [['email', 'ip', 'atMs'], ['email', 'atMs'], ['ip', 'atMs'], ['atMs']],
};

/** Latest sign-in to an e-mail address from an IP; the id is both, separated by a space, which neither contains. */
export const SIGN_IN_PLACES: Collection<{ readonly atMs: number }, Pick<FailureKeys, 'atMs'>> = {
  name: 'sign_in_places',
  keysOf: ({ atMs }) => ({ atMs }),
  keys: { atMs: 'number' },
  keysVersion: 1,
  indexes: [['atMs']],
};

export const COLLECTIONS = [
  ACCOUNTS,
  MEMBERS,
  USERS,
  API_KEYS,
  KEY_USES,
  SESSIONS,
  FAILURES,
  SIGN_IN_PLACES,
  POSITIONS,
  OLDER_LAYOUTS,
] as unknown as readonly Collection<object>[];
