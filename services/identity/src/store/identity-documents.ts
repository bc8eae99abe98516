import { randomUUID } from 'node:crypto';
import { Conflict, POSITIONS, UniqueTaken } from '@countersign/document-store';
import type { DocumentStore, Keys, Collection, Query, Stored, Transaction } from '@countersign/document-store';
import type { AnnouncementStore, OutboxStore } from '@countersign/topics';
import type { Account, ApiKey, IssuedKey, Session, Subject, User } from '../domain/members.js';
import {
  ACCOUNTS,
  API_KEYS,
  FAILURES,
  KEY_USES,
  MEMBERS,
  SESSIONS,
  SIGN_IN_PLACES,
  subjectKey,
  USERS,
} from './documents.js';
import type { UserBody } from './documents.js';
import type {
  Adoption,
  FailureLimits,
  Failures,
  IdentityStore,
  IdentityWrite,
  Members,
  Page,
  WriteResult,
} from './port.js';
import { KeyUseWriter } from './key-uses.js';
import { publishedBy } from './published.js';

/** Maximum number of expired documents removed in one transaction; the next one removes further ones. */
const MOST_FORGOTTEN = 200;
const ADOPTED_AT_ONCE = 500;
const ALL = 2 ** 31 - 1;

/** The store of identity, as documents. */
export class IdentityDocuments implements IdentityStore {
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;
  readonly #keyUses: KeyUseWriter;

  constructor(private readonly documents: DocumentStore) {
    this.#keyUses = new KeyUseWriter(documents);
    this.outbox = documents;
    this.announcements = documents as AnnouncementStore;
  }

  async write(write: IdentityWrite): Promise<WriteResult> {
    try {
      await this.documents.transact((transaction) => writeAll(transaction, write));
      return 'written';
    } catch (error) {
      if (error instanceof Conflict) return 'conflict';
      if (error instanceof UniqueTaken) return 'email-taken';
      throw error;
    }
  }

  async adopt({ accounts, apiKeys, sessions, goneSessions }: Adoption): Promise<void> {
    for (const some of inParts(accounts)) {
      await this.documents.transact((transaction) => transaction.restore(ACCOUNTS, some.map(factsStored)));
    }
    for (const some of inParts(apiKeys)) {
      await this.documents.transact((transaction) => transaction.restore(API_KEYS, some.map(factsStored)));
    }
    for (const some of inParts(sessions)) {
      await this.documents.transact((transaction) => transaction.restore(SESSIONS, some.map(factsStored)));
    }
    for (const some of inParts(goneSessions)) {
      await this.documents.transact(async (transaction) => {
        const stored = await transaction.getMany(SESSIONS, some);
        await transaction.remove(SESSIONS, [...stored.values()]);
      });
    }
  }

  async hasAccount(): Promise<boolean> {
    return (await this.documents.find(ACCOUNTS, { limit: 1 })).length > 0;
  }

  async account(id: string): Promise<Account | null> {
    const stored = await this.documents.get(ACCOUNTS, id);
    return stored === null ? null : factsOf(stored);
  }

  async members(accountId: string): Promise<Members | null> {
    if ((await this.documents.get(ACCOUNTS, accountId)) === null) return null;
    // The version first: a concurrent change of users makes the counted version stale.
    const version = (await this.documents.get(MEMBERS, accountId))?.version ?? 0;
    return { version, admins: await this.documents.count(USERS, { accountId, isAdmin: true }) };
  }

  async userByEmail(email: string): Promise<User | null> {
    const [stored] = await this.documents.find(USERS, { where: { email }, limit: 1 });
    return stored === undefined ? null : userOf(stored);
  }

  async userBySubject(subject: Subject): Promise<User | null> {
    const [stored] = await this.documents.find(USERS, { where: { subject: subjectKey(subject) }, limit: 1 });
    return stored === undefined ? null : userOf(stored);
  }

  async user(id: string): Promise<User | null> {
    const stored = await this.documents.get(USERS, id);
    return stored === null ? null : userOf(stored);
  }

  async accountUser(accountId: string, id: string): Promise<User | null> {
    const user = await this.user(id);
    return user?.accountId === accountId ? user : null;
  }

  async users(accountId: string, limit: number, offset: number): Promise<Page<User>> {
    const { items, total } = await this.#newest(USERS, accountId, limit, offset);
    return { items: items.map(userOf), total };
  }

  async apiKey(id: string): Promise<ApiKey | null> {
    const stored = await this.documents.get(API_KEYS, id);
    return stored === null ? null : ((await this.#used([stored]))[0] ?? null);
  }

  async accountApiKey(accountId: string, id: string): Promise<ApiKey | null> {
    const key = await this.apiKey(id);
    return key?.facts.accountId === accountId ? key : null;
  }

  async apiKeys(accountId: string, limit: number, offset: number): Promise<Page<ApiKey>> {
    const { items, total } = await this.#newest(API_KEYS, accountId, limit, offset);
    return { items: await this.#used(items), total };
  }

  async session(id: string): Promise<Session | null> {
    const stored = await this.documents.get(SESSIONS, id);
    return stored === null ? null : factsOf(stored);
  }

  async openSessions(userId: string): Promise<readonly Session[]> {
    const query = { where: { userId, isOpen: true }, limit: ALL };
    return (await this.documents.find(SESSIONS, query)).map(factsOf);
  }

  async expiredSessions(before: string, limit: number): Promise<readonly Session[]> {
    const where = { expiresAt: { below: before } };
    return (await this.documents.find(SESSIONS, { where, by: 'expiresAt', limit })).map(factsOf);
  }

  async *allAccounts(): AsyncIterable<Account> {
    for await (const stored of this.documents.all(ACCOUNTS)) yield factsOf(stored);
  }

  async *allUsers(): AsyncIterable<User> {
    for await (const stored of this.documents.all(USERS)) yield userOf(stored);
  }

  async *allApiKeys(): AsyncIterable<IssuedKey> {
    for await (const stored of this.documents.all(API_KEYS)) yield factsOf(stored);
  }

  async *allSessions(): AsyncIterable<Session> {
    for await (const stored of this.documents.all(SESSIONS)) yield factsOf(stored);
  }

  async failures(email: string, ip: string, sinceMs: number, limits: FailureLimits): Promise<Failures> {
    const times = async (of: { readonly email?: string; readonly ip?: string }, limit: number) => {
      const where = { ...of, atMs: { above: sinceMs } };
      const newest = await this.documents.find(FAILURES, { where, by: 'atMs', descending: true, limit });
      return newest.map(({ body }) => body.atMs);
    };
    const [ofPair, ofAddress, ofIp] = await Promise.all([
      times({ email, ip }, limits.ofPair),
      times({ email }, limits.ofAddress),
      times({ ip }, limits.ofIp),
    ]);
    return { ofPair, ofAddress, ofIp };
  }

  async failed(email: string, ip: string, atMs: number, sinceMs: number): Promise<string> {
    const id = randomUUID();
    await this.documents.transact(async (transaction) => {
      await transaction.put(FAILURES, [{ id, version: 1, body: { email, ip, atMs } }]);
      await transaction.removeWhere(FAILURES, { atMs: { below: sinceMs + 1 } }, MOST_FORGOTTEN);
    });
    return id;
  }

  async forgive(failure: string): Promise<void> {
    await this.documents.transact(async (transaction) => {
      const stored = await transaction.get(FAILURES, failure);
      if (stored !== null) await transaction.remove(FAILURES, [stored]);
    });
  }

  async signedInFrom(email: string, ip: string, atMs: number, sinceMs: number): Promise<void> {
    const id = `${email} ${ip}`;
    await this.documents.transact(async (transaction) => {
      const stored = await transaction.get(SIGN_IN_PLACES, id);
      const latest = Math.max(atMs, stored?.body.atMs ?? atMs);
      await transaction.set(SIGN_IN_PLACES, [{ id, body: { atMs: latest } }]);
      await transaction.removeWhere(SIGN_IN_PLACES, { atMs: { below: sinceMs + 1 } }, MOST_FORGOTTEN);
    });
  }

  async hasSignedInFrom(email: string, ip: string, sinceMs: number): Promise<boolean> {
    const stored = await this.documents.get(SIGN_IN_PLACES, `${email} ${ip}`);
    return stored !== null && stored.body.atMs > sinceMs;
  }

  async position(partition: number): Promise<number | null> {
    return (await this.documents.get(POSITIONS, String(partition)))?.body.next ?? null;
  }

  used(partition: number, next: number, lastUsedAt: ReadonlyMap<string, string>): Promise<void> {
    return this.#keyUses.write(partition, next, lastUsedAt);
  }

  async close(): Promise<void> {
    await this.documents.close();
  }

  async #newest<B extends object, K extends Keys & { readonly accountId: string }>(
    collection: Collection<B, K>,
    accountId: string,
    limit: number,
    offset: number,
  ): Promise<Page<Stored<B>>> {
    const where = { accountId } as Query<K>['where'] & object;
    const items = await this.documents.find(collection, { where, descending: true, limit, offset });
    return { items, total: await this.documents.count(collection, where) };
  }

  async #used(keys: readonly Stored<ApiKey['facts']>[]): Promise<readonly ApiKey[]> {
    const uses = await this.documents.getMany(
      KEY_USES,
      keys.map(({ id }) => id),
    );
    return keys.map((stored) => ({ ...factsOf(stored), lastUsedAt: uses.get(stored.id)?.body.lastUsedAt ?? null }));
  }
}

/** @throws Conflict, UniqueTaken */
async function writeAll(transaction: Transaction, write: IdentityWrite): Promise<void> {
  const { accounts = [], members, expectedUser, users = [], removedUsers = [] } = write;
  const { apiKeys = [], sessions = [], removedSessions = [] } = write;
  await transaction.put(ACCOUNTS, accounts.map(factsStored));
  if (members !== undefined) {
    await transaction.put(MEMBERS, [{ id: members.accountId, version: members.version + 1, body: {} }]);
  }
  if (expectedUser !== undefined) await transaction.expect(USERS, expectedUser.id, expectedUser.version);
  await transaction.put(USERS, users.map(userStored));
  await transaction.remove(USERS, removedUsers);
  await transaction.put(API_KEYS, apiKeys.map(factsStored));
  await transaction.put(SESSIONS, sessions.map(factsStored));
  await transaction.remove(SESSIONS, removedSessions);
  const { records, announcements } = publishedBy(write);
  await transaction.publish(records);
  await transaction.raise(announcements);
}

function factsStored<F>({ id, version, facts }: { readonly id: string; readonly version: number; readonly facts: F }) {
  return { id, version, body: facts };
}

function factsOf<F>({ id, version, body }: Stored<F>) {
  return { id, version, facts: body };
}

function userStored({ id, version, ...body }: User): Stored<UserBody> {
  return { id, version, body };
}

function userOf({ id, version, body }: Stored<UserBody>): User {
  return { id, version, ...body };
}

function* inParts<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += ADOPTED_AT_ONCE) yield all.slice(at, at + ADOPTED_AT_ONCE);
}
