import { randomUUID } from 'node:crypto';
import { embeddedAnnouncements, embeddedOutbox, mongoOptions, tellingUnreachable } from '@countersign/service-kit';
import type { AnnouncementStore, OutboxStore, RowId } from '@countersign/service-kit';
import type { AccountFacts, ApiKeyFacts, SessionFacts } from '@countersign/contracts';
import { createConnection } from 'mongoose';
import type { Connection, mongo } from 'mongoose';
import type { Account, ApiKey, Session, User } from '../domain/members.js';
import { adoptInto } from './mongo-adopt.js';
import { MongoChanges } from './mongo-changes.js';
import { identityCollections } from './mongo-collections.js';
import type {
  AccountDocument,
  ApiKeyDocument,
  IdentityCollections,
  SessionDocument,
  UserDocument,
} from './mongo-collections.js';
import type { Adoption, FailureLimits, Failures } from './port.js';
import type { IdentityStore, IdentityWrite, Members, Page, WriteResult } from './port.js';

const PAGE = 500;

/** @throws when no server answers */
export async function openMongoIdentityStore(uri: string): Promise<IdentityStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const collections = await identityCollections(connection);
    const changes = new MongoChanges(collections);
    await changes.begin();
    return tellingUnreachable(new MongoIdentityStore(connection, collections, changes));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Every write goes through the head document (`MongoChanges`), and every read first sees to it that it is applied. */
class MongoIdentityStore implements IdentityStore {
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;
  readonly #connection: Connection;
  readonly #collections: IdentityCollections;
  readonly #changes: MongoChanges;

  constructor(connection: Connection, collections: IdentityCollections, changes: MongoChanges) {
    this.#connection = connection;
    this.#collections = collections;
    this.#changes = changes;
    const outbox = embeddedOutbox(collections.told);
    const announcements = embeddedAnnouncements(collections.told);
    this.outbox = {
      pending: async (limit) => {
        await changes.settled();
        return outbox.pending(limit);
      },
      sent: (ids) => outbox.sent(ids).then(() => this.#done(ids)),
    };
    this.announcements = {
      unannounced: async (limit) => {
        await changes.settled();
        return announcements.unannounced(limit);
      },
      announced: (rows) => announcements.announced(rows).then(() => this.#done(rows)),
    };
  }

  write(write: IdentityWrite): Promise<WriteResult> {
    return this.#changes.write(write);
  }

  adopt(adoption: Adoption): Promise<void> {
    return adoptInto(this.#collections, this.#changes, adoption);
  }

  async hasAccount(): Promise<boolean> {
    return (await this.#one(this.#collections.accounts, {})) !== null;
  }

  async account(id: string): Promise<Account | null> {
    const document = await this.#one(this.#collections.accounts, { _id: id });
    return document === null ? null : accountOf(document);
  }

  async members(accountId: string): Promise<Members | null> {
    // The version first: users that change meanwhile are counted against a version that is over.
    const account = await this.#one(this.#collections.accounts, { _id: accountId });
    if (account === null) return null;
    const admins = await this.#collections.users.countDocuments({ accountId, role: 'admin' });
    return { version: account.membersVersion ?? 0, admins };
  }

  async userByEmail(email: string): Promise<User | null> {
    const document = await this.#one(this.#collections.users, { email });
    return document === null ? null : userOf(document);
  }

  async user(id: string): Promise<User | null> {
    const document = await this.#one(this.#collections.users, { _id: id, goneAt: { $exists: false } });
    return document === null ? null : userOf(document);
  }

  async accountUser(accountId: string, id: string): Promise<User | null> {
    const filter = { _id: id, accountId, goneAt: { $exists: false } };
    const document = await this.#one(this.#collections.users, filter);
    return document === null ? null : userOf(document);
  }

  users(accountId: string, limit: number, offset: number): Promise<Page<User>> {
    return this.#page(this.#collections.users, { accountId }, limit, offset, userOf);
  }

  async apiKey(id: string): Promise<ApiKey | null> {
    const document = await this.#one(this.#collections.apiKeys, { _id: id });
    return document === null ? null : apiKeyOf(document);
  }

  async accountApiKey(accountId: string, id: string): Promise<ApiKey | null> {
    const document = await this.#one(this.#collections.apiKeys, { _id: id, accountId });
    return document === null ? null : apiKeyOf(document);
  }

  apiKeys(accountId: string, limit: number, offset: number): Promise<Page<ApiKey>> {
    return this.#page(this.#collections.apiKeys, { accountId }, limit, offset, apiKeyOf);
  }

  async session(id: string): Promise<Session | null> {
    const document = await this.#one(this.#collections.sessions, { _id: id, goneAt: { $exists: false } });
    return document === null ? null : sessionOf(document);
  }

  async openSessions(userId: string): Promise<readonly Session[]> {
    await this.#changes.settled();
    return (await this.#collections.sessions.find({ userId, revoked: false }).toArray()).map(sessionOf);
  }

  async expiredSessions(before: string, limit: number): Promise<readonly Session[]> {
    await this.#changes.settled();
    const over = this.#collections.sessions.find({ expiresAt: { $lt: before } }, { sort: { expiresAt: 1 }, limit });
    return (await over.toArray()).map(sessionOf);
  }

  allAccounts(): AsyncIterable<Account> {
    return this.#every(this.#collections.accounts, accountOf);
  }

  allApiKeys(): AsyncIterable<ApiKey> {
    return this.#every(this.#collections.apiKeys, apiKeyOf);
  }

  allSessions(): AsyncIterable<Session> {
    return this.#every(this.#collections.sessions, sessionOf);
  }

  async failures(email: string, ip: string, sinceMs: number, limits: FailureLimits): Promise<Failures> {
    const times = async (of: { readonly email?: string; readonly ip?: string }, limit: number) => {
      const filter = { ...of, atMs: { $gt: sinceMs } };
      const newest = this.#collections.failures.find(filter, { projection: { atMs: 1 }, sort: { atMs: -1 }, limit });
      return (await newest.toArray()).map(({ atMs }) => atMs);
    };
    const [ofPair, ofAddress, ofIp] = await Promise.all([
      times({ email, ip }, limits.ofPair),
      times({ email }, limits.ofAddress),
      times({ ip }, limits.ofIp),
    ]);
    return { ofPair, ofAddress, ofIp };
  }

  async failed(email: string, ip: string, atMs: number, sinceMs: number): Promise<string> {
    const { failures } = this.#collections;
    const failure = randomUUID();
    await failures.insertOne({ _id: failure, atMs, email, ip });
    await failures.deleteMany({ atMs: { $lte: sinceMs } });
    return failure;
  }

  async forgive(failure: string): Promise<void> {
    await this.#collections.failures.deleteOne({ _id: failure });
  }

  async signedInFrom(email: string, ip: string, atMs: number, sinceMs: number): Promise<void> {
    const { places } = this.#collections;
    await places.updateOne({ _id: `${email} ${ip}` }, { $max: { atMs } }, { upsert: true });
    await places.deleteMany({ atMs: { $lte: sinceMs } });
  }

  async hasSignedInFrom(email: string, ip: string, sinceMs: number): Promise<boolean> {
    const place = await this.#collections.places.findOne({ _id: `${email} ${ip}` });
    return place !== null && place.atMs > sinceMs;
  }

  async position(partition: number): Promise<number | null> {
    return (await this.#collections.positions.findOne({ _id: partition }))?.next ?? null;
  }

  async used(partition: number, next: number, lastUsedAt: ReadonlyMap<string, string>): Promise<void> {
    const { apiKeys, positions } = this.#collections;
    const uses = [...lastUsedAt].map(([_id, at]) => ({
      updateOne: { filter: { _id }, update: { $max: { lastUsedAt: at } } },
    }));
    // Both only rise: a repetition, or an instance that has lost the partition, changes nothing.
    if (uses.length > 0) await apiKeys.bulkWrite(uses, { ordered: false });
    await positions.updateOne({ _id: partition }, { $max: { next } }, { upsert: true });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Marks what has nothing left to tell; the server drops it in a day. */
  async #done(rows: readonly RowId[]): Promise<void> {
    const changes = [...new Set(rows.map((row) => Number(String(row).split('/')[0])))];
    await this.#collections.told.updateMany(
      { _id: { $in: changes }, outbox: { $size: 0 }, announcements: { $size: 0 } },
      { $set: { doneAt: new Date() } },
    );
  }

  async #one<D extends mongo.Document>(
    collection: mongo.Collection<D>,
    filter: object,
  ): Promise<mongo.WithId<D> | null> {
    await this.#changes.settled();
    return collection.findOne(filter as mongo.Filter<D>);
  }

  async #page<D extends mongo.Document, T>(
    collection: mongo.Collection<D>,
    of: { readonly accountId: string },
    limit: number,
    offset: number,
    read: (document: mongo.WithId<D>) => T,
  ): Promise<Page<T>> {
    await this.#changes.settled();
    const filter = of as unknown as mongo.Filter<D>;
    const [documents, total] = await Promise.all([
      collection.find(filter, { sort: { order: -1 }, skip: offset, limit }).toArray(),
      collection.countDocuments(filter),
    ]);
    return { items: documents.map(read), total };
  }

  async *#every<D extends mongo.Document, T>(
    collection: mongo.Collection<D>,
    read: (document: mongo.WithId<D>) => T,
  ): AsyncIterable<T> {
    await this.#changes.settled();
    for (let after = ''; ;) {
      const above = { _id: { $gt: after } } as unknown as mongo.Filter<D>;
      const documents = await collection.find(above, { sort: { _id: 1 }, limit: PAGE }).toArray();
      for (const document of documents) if (!('goneAt' in document)) yield read(document);
      if (documents.length < PAGE) return;
      after = String(documents.at(-1)!._id);
    }
  }
}

function accountOf({ _id: id, version, facts }: AccountDocument): Account {
  return { id, version, facts: JSON.parse(facts) as AccountFacts };
}

function sessionOf({ _id: id, version, facts }: SessionDocument): Session {
  return { id, version, facts: JSON.parse(facts) as SessionFacts };
}

function apiKeyOf({ _id: id, version, facts, lastUsedAt }: ApiKeyDocument): ApiKey {
  return { id, version, facts: JSON.parse(facts) as ApiKeyFacts, lastUsedAt };
}

function userOf({ _id: id, version, accountId, email, role, passwordHash, createdAt }: UserDocument): User {
  return { id, version, accountId, email, role, passwordHash, createdAt };
}
