import { EMBEDDED_ROWS_INDEXES } from '@countersign/service-kit';
import type { EmbeddedRows } from '@countersign/service-kit';
import type { Connection, mongo } from 'mongoose';
import type { Role } from '@countersign/contracts';

/** Every document names the change that wrote it last: it is written only by a later one. */
interface Changed {
  readonly _id: string;
  /** Number of the change. */
  readonly at: number;
  /** Of what is gone: the document stays for a while, so that a late hand cannot bring it back. */
  readonly goneAt?: Date;
}
interface FactsDocument extends Changed {
  readonly version: number;
  /** JSON. */
  readonly facts: string;
}

export interface AccountDocument extends FactsDocument {
  /** Absent: 0. */
  readonly membersVersion?: number;
}
export interface UserDocument extends Changed {
  readonly version: number;
  readonly accountId: string;
  /** Sorts by creation. */
  readonly order: string;
  readonly email: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAt: string;
}
export interface ApiKeyDocument extends FactsDocument {
  readonly accountId: string;
  readonly order: string;
  readonly lastUsedAt: string | null;
}
export interface SessionDocument extends FactsDocument {
  readonly userId: string;
  readonly expiresAt: string;
  readonly revoked: boolean;
}

/** What others are to be told of a change. */
export interface ToldDocument extends EmbeddedRows {
  /** Number of the change. */
  readonly _id: number;
  /** When nothing was left to tell. */
  readonly doneAt?: Date;
}

/** Documents as a change leaves them. */
export interface Change extends EmbeddedRows {
  readonly accounts: readonly Omit<AccountDocument, 'at'>[];
  readonly users: readonly Omit<UserDocument, 'at'>[];
  readonly apiKeys: readonly Omit<ApiKeyDocument, 'at'>[];
  readonly sessions: readonly Omit<SessionDocument, 'at'>[];
  readonly removedUsers: readonly string[];
  readonly removedSessions: readonly string[];
  /** The account whose members change, and their version after it. */
  readonly members: { readonly accountId: string; readonly version: number } | null;
}

/** The one document that every change goes through. */
export interface HeadDocument {
  readonly _id: 'head';
  /** Number of the newest change. */
  readonly n: number;
  /** Who made it. */
  readonly by: string;
  /** It, until the other collections show all of it. */
  readonly change: Change | null;
}

export interface PositionDocument {
  /** Partition. */
  readonly _id: number;
  readonly next: number;
}
export interface FailureDocument {
  readonly _id: string;
  readonly atMs: number;
  readonly email: string;
  readonly ip: string;
}

/** The latest sign-in to an e-mail address from an IP; the id is both, apart by a blank, which neither holds. */
export interface PlaceDocument {
  readonly _id: string;
  readonly atMs: number;
}

export interface IdentityCollections {
  readonly head: mongo.Collection<HeadDocument>;
  readonly accounts: mongo.Collection<AccountDocument>;
  readonly users: mongo.Collection<UserDocument>;
  readonly apiKeys: mongo.Collection<ApiKeyDocument>;
  readonly sessions: mongo.Collection<SessionDocument>;
  readonly told: mongo.Collection<ToldDocument>;
  readonly positions: mongo.Collection<PositionDocument>;
  readonly failures: mongo.Collection<FailureDocument>;
  readonly places: mongo.Collection<PlaceDocument>;
}

const DAY_S = 86_400;

export function collectionsOf(connection: Connection): IdentityCollections {
  const database = connection.db!;
  return {
    head: database.collection('identity_head'),
    accounts: database.collection('identity_accounts'),
    users: database.collection('identity_users'),
    apiKeys: database.collection('identity_api_keys'),
    sessions: database.collection('identity_sessions'),
    told: database.collection('identity_told'),
    positions: database.collection('identity_positions'),
    failures: database.collection('identity_login_failures'),
    places: database.collection('identity_sign_in_places'),
  };
}

/** The collections, with the indexes that their queries need. */
export async function identityCollections(connection: Connection): Promise<IdentityCollections> {
  const collections = collectionsOf(connection);
  const { users, apiKeys, sessions, told, failures, places } = collections;
  const newest = { key: { accountId: 1, order: -1 }, name: 'newest' } as const;
  const gone = { key: { goneAt: 1 }, name: 'gone', expireAfterSeconds: DAY_S } as const;
  await Promise.all([
    users.createIndexes([
      newest,
      gone,
      { key: { email: 1 }, name: 'email', unique: true, partialFilterExpression: { email: { $exists: true } } },
    ]),
    apiKeys.createIndexes([newest]),
    sessions.createIndexes([
      gone,
      { key: { userId: 1 }, name: 'open', partialFilterExpression: { revoked: false } },
      { key: { expiresAt: 1 }, name: 'by_expiry', sparse: true },
    ]),
    told.createIndexes([...EMBEDDED_ROWS_INDEXES, { key: { doneAt: 1 }, name: 'done', expireAfterSeconds: DAY_S }]),
    failures.createIndexes([
      { key: { email: 1, atMs: -1 }, name: 'of_email' },
      { key: { ip: 1, atMs: -1 }, name: 'of_ip' },
      { key: { atMs: 1 }, name: 'by_time' },
    ]),
    places.createIndexes([{ key: { atMs: 1 }, name: 'by_time' }]),
  ]);
  return collections;
}
