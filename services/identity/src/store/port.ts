import type { EventEnvelope } from '@countersign/contracts';
import type { AnnouncementStore, OutboxStore } from '@countersign/topics';
import type { Account, ApiKey, IssuedKey, Session, Subject, User } from '../domain/members.js';

export interface Page<T> {
  readonly items: readonly T[];
  /** Over all pages. */
  readonly total: number;
}

/**
 * One change, written completely or not at all. Everything in `accounts`, `users`, `apiKeys` and `sessions` is one version
 * above the stored one, or new at version 1.
 */
export interface IdentityWrite {
  readonly accounts?: readonly Account[];
  readonly users?: readonly User[];
  readonly apiKeys?: readonly IssuedKey[];
  readonly sessions?: readonly Session[];
  /** Events of the accounts themselves, of what people did with the change; to be published in this order. */
  readonly events?: readonly EventEnvelope[];
  /** Users to remove, each as stored. */
  readonly removedUsers?: readonly User[];
  readonly removedSessions?: readonly Session[];
  /** Must be stored at exactly this version, or nothing is written. */
  readonly expectedUser?: { readonly id: string; readonly version: number };
  /** The account's `Members.version` must still be this one; it rises by one. Every change of who is a user or an admin names it. */
  readonly members?: { readonly accountId: string; readonly version: number };
}

/** Published state that the store lacks, each at its published version. */
export interface Adoption {
  readonly accounts: readonly Account[];
  readonly apiKeys: readonly IssuedKey[];
  readonly sessions: readonly Session[];
  /** Sessions that have ended and were removed. */
  readonly goneSessions: readonly string[];
}

/** `conflict`: something is at another version: read again. `email-taken`: by a user of any account, or the subject is. */
export type WriteResult = 'written' | 'conflict' | 'email-taken';

/** State that must not change between counting the admins and removing one. */
export interface Members {
  readonly version: number;
  readonly admins: number;
}

/** Failed attempts by three criteria, each newest first, ms. */
export interface Failures {
  /** For this e-mail address from this IP. */
  readonly ofPair: readonly number[];
  /** For this e-mail address from any IP. */
  readonly ofAddress: readonly number[];
  /** From this IP for any e-mail address. */
  readonly ofIp: readonly number[];
}

/** Maximum number of times returned for each criterion. */
export type FailureLimits = { readonly [K in keyof Failures]: number };

/**
 * Accounts, users, API keys, sessions and failed logins.
 * - A method that writes MUST be durable when it resolves, and write everything or nothing.
 * - `write` MUST put the records of `publishedBy` and its announcements into the outbox, in the same step.
 * - A method rejects only if the store cannot be used.
 */
export interface IdentityStore {
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;

  write(write: IdentityWrite): Promise<WriteResult>;
  /** Stores published state without publishing it again. Nothing else may write meanwhile. Idempotent. */
  adopt(adoption: Adoption): Promise<void>;

  hasAccount(): Promise<boolean>;
  account(id: string): Promise<Account | null>;
  members(accountId: string): Promise<Members | null>;
  /** By the normal form of the address. */
  userByEmail(email: string): Promise<User | null>;
  /** Of any account. */
  userBySubject(subject: Subject): Promise<User | null>;
  user(id: string): Promise<User | null>;
  /** `null` for a user of another account, too. */
  accountUser(accountId: string, id: string): Promise<User | null>;
  /** Newest first. */
  users(accountId: string, limit: number, offset: number): Promise<Page<User>>;
  apiKey(id: string): Promise<ApiKey | null>;
  /** `null` for a key of another account, too. */
  accountApiKey(accountId: string, id: string): Promise<ApiKey | null>;
  /** Newest first, revoked ones too. */
  apiKeys(accountId: string, limit: number, offset: number): Promise<Page<ApiKey>>;
  session(id: string): Promise<Session | null>;
  /** Not revoked; may have expired. */
  openSessions(userId: string): Promise<readonly Session[]>;
  /** Sessions that expired before this time, oldest first. */
  expiredSessions(before: string, limit: number): Promise<readonly Session[]>;

  /** Everything that has a topic, to publish again what the topic lost. */
  allAccounts(): AsyncIterable<Account>;
  /** These have no topic. */
  allUsers(): AsyncIterable<User>;
  allApiKeys(): AsyncIterable<IssuedKey>;
  allSessions(): AsyncIterable<Session>;

  /** Failures since `sinceMs`, the newest of each criterion up to its limit. */
  failures(email: string, ip: string, sinceMs: number, limits: FailureLimits): Promise<Failures>;
  /** Stores a failure, and removes those before `sinceMs`. Returns its id. */
  failed(email: string, ip: string, atMs: number, sinceMs: number): Promise<string>;
  /** Removes a failure that turned out to be none. */
  forgive(failure: string): Promise<void>;
  /** Stores a sign-in to this address from this IP, and removes those before `sinceMs`. */
  signedInFrom(email: string, ip: string, atMs: number, sinceMs: number): Promise<void>;
  /** True if there is such a sign-in after `sinceMs`. */
  hasSignedInFrom(email: string, ip: string, sinceMs: number): Promise<boolean>;

  /** Next offset, or `null`. */
  position(partition: number): Promise<number | null>;
  /** Advances the position and raises `lastUsedAt` (never lowers it) in one step. Unknown keys are ignored. */
  used(partition: number, next: number, lastUsedAt: ReadonlyMap<string, string>): Promise<void>;

  close(): Promise<void>;
}
