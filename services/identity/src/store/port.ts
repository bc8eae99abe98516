import type { AnnouncementStore, OutboxStore } from '@countersign/topics';
import type { Account, ApiKey, IssuedKey, Session, User } from '../domain/members.js';

export interface Page<T> {
  readonly items: readonly T[];
  /** Of all pages. */
  readonly total: number;
}

/**
 * One change, written whole or not at all. Everything in `accounts`, `users`, `apiKeys` and `sessions` is one version
 * above what is stored, and new at version 1.
 */
export interface IdentityWrite {
  readonly accounts?: readonly Account[];
  readonly users?: readonly User[];
  readonly apiKeys?: readonly IssuedKey[];
  readonly sessions?: readonly Session[];
  /** Are gone from now on; each as it is stored. */
  readonly removedUsers?: readonly User[];
  readonly removedSessions?: readonly Session[];
  /** Must be stored at exactly this version, or nothing is written. */
  readonly expectedUser?: { readonly id: string; readonly version: number };
  /** The account's `Members.version` must still be this one; it rises by one. Whoever changes users names it. */
  readonly members?: { readonly accountId: string; readonly version: number };
}

/** What the topics tell and the store lacks, each at the version told. */
export interface Adoption {
  readonly accounts: readonly Account[];
  readonly apiKeys: readonly IssuedKey[];
  readonly sessions: readonly Session[];
  /** Sessions that are over and gone. */
  readonly goneSessions: readonly string[];
}

/** `conflict`: something is at another version by now; read again. `email-taken`: by a user of any account. */
export type WriteResult = 'written' | 'conflict' | 'email-taken';

/** What must not change between counting the admins and removing one. */
export interface Members {
  readonly version: number;
  readonly admins: number;
}

/** Failed attempts counted in three ways, each newest first, ms. */
export interface Failures {
  /** For this e-mail address from this IP. */
  readonly ofPair: readonly number[];
  /** For this e-mail address from any IP. */
  readonly ofAddress: readonly number[];
  /** From this IP for any e-mail address. */
  readonly ofIp: readonly number[];
}

/** The most times that are read of each count. */
export type FailureLimits = { readonly [K in keyof Failures]: number };

/**
 * Accounts, users, API keys, sessions and failed logins.
 * - A method that writes MUST be durable when it resolves, and write everything or nothing.
 * - `write` MUST put the records of `publishedBy` into the outbox and its announcements beside them, in the same step.
 * - A method rejects only when the store cannot be used.
 */
export interface IdentityStore {
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;

  write(write: IdentityWrite): Promise<WriteResult>;
  /** Takes what the topics tell; nobody is told. Nothing else may write meanwhile; a repetition changes nothing. */
  adopt(adoption: Adoption): Promise<void>;

  hasAccount(): Promise<boolean>;
  account(id: string): Promise<Account | null>;
  members(accountId: string): Promise<Members | null>;
  /** By the normal form of the address. */
  userByEmail(email: string): Promise<User | null>;
  user(id: string): Promise<User | null>;
  /** Another account's is read no more than one that does not exist. */
  accountUser(accountId: string, id: string): Promise<User | null>;
  /** Newest first. */
  users(accountId: string, limit: number, offset: number): Promise<Page<User>>;
  apiKey(id: string): Promise<ApiKey | null>;
  /** Another account's is read no more than one that does not exist. */
  accountApiKey(accountId: string, id: string): Promise<ApiKey | null>;
  /** Newest first, revoked ones too. */
  apiKeys(accountId: string, limit: number, offset: number): Promise<Page<ApiKey>>;
  session(id: string): Promise<Session | null>;
  /** Not revoked; they may have expired. */
  openSessions(userId: string): Promise<readonly Session[]>;
  /** Sessions that expired before this time, oldest first. */
  expiredSessions(before: string, limit: number): Promise<readonly Session[]>;

  /** Everything that has a topic, for publishing again what the topic lost. */
  allAccounts(): AsyncIterable<Account>;
  allApiKeys(): AsyncIterable<IssuedKey>;
  allSessions(): AsyncIterable<Session>;

  /** Failures since `sinceMs`, the newest of each count up to its limit. */
  failures(email: string, ip: string, sinceMs: number, limits: FailureLimits): Promise<Failures>;
  /** Keeps a failure, and forgets those before `sinceMs`. Gives its name. */
  failed(email: string, ip: string, atMs: number, sinceMs: number): Promise<string>;
  /** It was none after all. */
  forgive(failure: string): Promise<void>;
  /** Keeps a sign-in to this address from this IP, and forgets those before `sinceMs`. */
  signedInFrom(email: string, ip: string, atMs: number, sinceMs: number): Promise<void>;
  /** Whether such a sign-in is kept that is later than `sinceMs`. */
  hasSignedInFrom(email: string, ip: string, sinceMs: number): Promise<boolean>;

  /** Where following the log stands, or `null`. */
  position(partition: number): Promise<number | null>;
  /** Moves the position and raises `lastUsedAt` (never lowers it) in one step. Unknown keys are passed over. */
  used(partition: number, next: number, lastUsedAt: ReadonlyMap<string, string>): Promise<void>;

  close(): Promise<void>;
}
