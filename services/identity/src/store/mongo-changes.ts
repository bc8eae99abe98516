import { randomUUID } from 'node:crypto';
import { changeName, duplicatesOf, embeddedRows, isDuplicateKey, StoreUnreachable } from '@countersign/service-kit';
import type { mongo } from 'mongoose';
import { judgeWrite } from './judge-write.js';
import type { Stored } from './judge-write.js';
import type { Change, HeadDocument, IdentityCollections } from './mongo-collections.js';
import type { IdentityWrite, WriteResult } from './port.js';
import { toldBy } from './told.js';

const MAX_TRIES = 100;
const LONGEST_PAUSE_MS = 20;

type Written = Readonly<Record<string, unknown>> & { readonly _id: string };

/**
 * All or nothing without a transaction. A write takes effect when the one head document takes it whole, as the change
 * after the one that the write was judged by; only then do the other collections follow, and whoever reads or writes
 * next brings them up to the head first. A document is written only by a later change than its last, so it does not
 * matter who applies a change, how often, or how late.
 */
export class MongoChanges {
  readonly #instance = randomUUID();
  readonly #collections: IdentityCollections;
  /** Writes of this instance go one after another: they only stand in each other's way. */
  #last: Promise<unknown> = Promise.resolve();
  #written = 0;

  constructor(collections: IdentityCollections) {
    this.#collections = collections;
  }

  /** Before anything else, at every start. */
  async begin(): Promise<void> {
    const { head, accounts } = this.#collections;
    // Numbers that began anew below those of the documents would leave every later change without effect.
    if ((await accounts.findOne()) === null) {
      await head.insertOne({ _id: 'head', n: 0, by: '', change: null }).catch(unlessThere);
    }
    await this.settled();
  }

  /** Resolves to the number of the newest change once the collections show all of it. */
  async settled(): Promise<number> {
    const head = await this.#head();
    if (head.change !== null) await this.#apply(head.n, head.change);
    return head.n;
  }

  write(write: IdentityWrite): Promise<WriteResult> {
    const turn = this.#last.catch(() => undefined).then(() => this.#write(write));
    this.#last = turn;
    return turn;
  }

  /** The number of a change that holds nothing: what is written under it yields to every later one. */
  async reserve(): Promise<number> {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const n = (await this.settled()) + 1;
      const change = changeOf(n, {});
      if (!(await this.#commit(n, `${this.#instance}/${(this.#written += 1)}`, change))) continue;
      await this.#apply(n, change);
      return n;
    }
    throw new StoreUnreachable('accounts are changed by too many others at once');
  }

  async #write(write: IdentityWrite): Promise<WriteResult> {
    const by = `${this.#instance}/${(this.#written += 1)}`;
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const n = (await this.settled()) + 1;
      const verdict = judgeWrite(write, await this.#stored(write));
      if (verdict !== null) return verdict;
      const change = changeOf(n, write);
      if (await this.#commit(n, by, change)) {
        await this.#apply(n, change);
        return 'written';
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(tries, LONGEST_PAUSE_MS)));
    }
    throw new StoreUnreachable('accounts are changed by too many others at once');
  }

  /** `false`: another change came first. */
  async #commit(n: number, by: string, change: Change): Promise<boolean> {
    const { head } = this.#collections;
    const { matchedCount } = await head.updateOne({ _id: 'head', n: n - 1, change: null }, { $set: { n, by, change } });
    if (matchedCount === 1) return true;
    // The driver sends a write again whose answer was lost: then it is this very change that came first.
    const now = await this.#head();
    return now.n === n && now.by === by;
  }

  async #apply(n: number, change: Change): Promise<void> {
    const { head, accounts, users, apiKeys, sessions, told } = this.#collections;
    const { outbox, announcements } = change;
    await Promise.all([
      put(accounts, n, change.accounts).then(() => this.#countMembers(change)),
      // An address that is given back in this change may be taken in it.
      remove(users, n, change.removedUsers).then(() => put(users, n, change.users)),
      put(apiKeys, n, change.apiKeys),
      put(sessions, n, change.sessions).then(() => remove(sessions, n, change.removedSessions)),
      outbox.length + announcements.length > 0 &&
        told.updateOne({ _id: n }, { $setOnInsert: { outbox, announcements } }, { upsert: true }).catch(unlessThere),
    ]);
    await head.updateOne({ _id: 'head', n }, { $set: { change: null } });
  }

  async #countMembers({ members }: Change): Promise<void> {
    if (members === null) return;
    const { accountId, version } = members;
    await this.#collections.accounts.updateOne({ _id: accountId }, { $max: { membersVersion: version } });
  }

  async #head(): Promise<HeadDocument> {
    const head = await this.#collections.head.findOne({ _id: 'head' });
    if (head === null) throw new Error('MongoDB collection identity_head is empty: restore a backup');
    return head;
  }

  async #stored(write: IdentityWrite): Promise<Stored> {
    const { accounts, users, apiKeys, sessions } = this.#collections;
    const { members, expectedUser } = write;
    const emails = (write.users ?? []).map(({ email }) => email);
    const [ofAccounts, ofUsers, ofEmails, ofKeys, ofSessions] = await Promise.all([
      found(accounts, [...idsOf(write.accounts), ...(members === undefined ? [] : [members.accountId])]),
      found(users, [
        ...idsOf(write.users, write.removedUsers),
        ...(expectedUser === undefined ? [] : [expectedUser.id]),
      ]),
      emails.length === 0 ? [] : users.find({ email: { $in: emails } }, { projection: { email: 1 } }).toArray(),
      found(apiKeys, idsOf(write.apiKeys)),
      found(sessions, idsOf(write.sessions, write.removedSessions)),
    ]);
    return {
      accounts: versionsOf(ofAccounts),
      users: versionsOf(ofUsers),
      apiKeys: versionsOf(ofKeys),
      sessions: versionsOf(ofSessions),
      members: new Map(ofAccounts.map(({ _id, membersVersion }) => [_id, membersVersion ?? 0])),
      emails: new Map(ofEmails.map(({ _id, email }) => [email, _id])),
    };
  }
}

function changeOf(n: number, write: IdentityWrite): Change {
  const { records, announcements } = toldBy(write);
  const name = changeName(n);
  /** Kept from the first version on. */
  const order = (version: number, i: number): { readonly order: string } =>
    (version === 1 ? { order: `${name}/${String(i).padStart(6, '0')}` } : {}) as { readonly order: string };
  return {
    accounts: (write.accounts ?? []).map(({ id, version, facts }) => ({ _id: id, version, facts: json(facts) })),
    users: (write.users ?? []).map(({ id, ...user }, i) => ({ _id: id, ...user, ...order(user.version, i) })),
    apiKeys: (write.apiKeys ?? []).map(({ id, version, facts, lastUsedAt }, i) => ({
      ...{ _id: id, version, accountId: facts.accountId, facts: json(facts), ...order(version, i) },
      ...((version === 1 ? { lastUsedAt } : {}) as { readonly lastUsedAt: string | null }),
    })),
    sessions: (write.sessions ?? []).map(({ id, version, facts }) => {
      const { userId, expiresAt, revokedAt } = facts;
      return { _id: id, version, userId, expiresAt, revoked: revokedAt !== null, facts: json(facts) };
    }),
    removedUsers: idsOf(write.removedUsers),
    removedSessions: idsOf(write.removedSessions),
    members:
      write.members === undefined ? null : { accountId: write.members.accountId, version: write.members.version + 1 },
    ...embeddedRows(name, records, announcements),
  };
}

/** Writes documents unless a later change did; new ones too. */
async function put<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  n: number,
  documents: readonly Written[],
): Promise<void> {
  const there = documents.filter(({ version }) => version !== 1);
  const fresh = documents.filter(({ version }) => version === 1);
  const met = fresh.length === 0 ? [] : await insertAll(collection, n, fresh);
  // It was applied before, or the id was in use once and is gone.
  const writes = [...there, ...met].map(({ _id, ...fields }) => ({
    updateOne: { filter: { _id, at: { $lt: n } }, update: { $set: { ...fields, at: n }, $unset: { goneAt: '' } } },
  }));
  if (writes.length === 0) return;
  await collection.bulkWrite(writes as unknown as mongo.AnyBulkWriteOperation<D>[], { ordered: false });
  if (met.length === 0) return;
  const written = { _id: { $in: met.map(({ _id }) => _id) }, at: { $gte: n } } as unknown as mongo.Filter<D>;
  // A unique index that stands against a judged change: nothing may go on as if it were written.
  if ((await collection.countDocuments(written)) < met.length) throw new Error(`change ${n} does not fit the store`);
}

/** Gives those that met another document. */
async function insertAll<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  n: number,
  documents: readonly Written[],
): Promise<readonly Written[]> {
  const inserted = documents.map((document) => ({ ...document, at: n }));
  try {
    await collection.insertMany(inserted as unknown as mongo.OptionalUnlessRequiredId<D>[], { ordered: false });
    return [];
  } catch (error) {
    return duplicatesOf(error).map((index) => documents[index]!);
  }
}

async function remove<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  n: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const goneAt = new Date();
  const writes = ids.map((_id) => ({
    replaceOne: { filter: { _id, at: { $lt: n } }, replacement: { at: n, goneAt } },
  }));
  await collection.bulkWrite(writes as unknown as mongo.AnyBulkWriteOperation<D>[], { ordered: false });
}

async function found<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  ids: readonly string[],
): Promise<readonly mongo.WithId<D>[]> {
  if (ids.length === 0) return [];
  const among = { _id: { $in: [...ids] } } as unknown as mongo.Filter<D>;
  return collection.find(among, { projection: { version: 1, membersVersion: 1 } }).toArray();
}

/** What is gone has no version. */
function versionsOf(documents: readonly { readonly _id: string; readonly version?: number }[]): Map<string, number> {
  return new Map(documents.flatMap(({ _id, version }) => (version === undefined ? [] : [[_id, version]])));
}

function idsOf(...lists: readonly (readonly { readonly id: string }[] | undefined)[]): string[] {
  return lists.flatMap((list = []) => list.map(({ id }) => id));
}

function unlessThere(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

const json = (facts: object): string => JSON.stringify(facts);
