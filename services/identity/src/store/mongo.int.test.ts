import { randomUUID } from 'node:crypto';
import { StoreUnreachable } from '@countersign/service-kit';
import { createConnection } from 'mongoose';
import type { Account, User } from '../domain/members.js';
import { onPlan } from '../domain/plans.js';
import { openMongoIdentityStore } from './mongo.js';
import type { IdentityStore } from './port.js';
import { identityStoreContract } from './store.contract.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const WITHOUT = 'needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI';

/** A database of its own. */
function database(): { readonly uri: string; readonly drop: () => Promise<void> } {
  const url = new URL(SERVER!);
  url.pathname = `/identity_${randomUUID().slice(0, 8)}`;
  const drop = async (): Promise<void> => {
    const connection = await createConnection(url.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
  };
  return { uri: url.href, drop };
}

const account = (n: number): Account => ({ id: `account-${n}`, version: 1, facts: onPlan('A', 'core', {}, 0) });
const user = (n: number, email: string): User => ({
  ...{ id: `user-${n}`, version: 1, accountId: `account-${n}`, email, role: 'admin' as const },
  ...{ passwordHash: 'hash', createdAt: new Date(n).toISOString() },
});

if (SERVER === undefined) {
  describe.skip(WITHOUT, () => it('has no server', () => undefined));
} else {
  identityStoreContract('MongoDB', async () => {
    const { uri, drop } = database();
    let store = await openMongoIdentityStore(uri);
    return {
      store,
      async reopen() {
        await store.close();
        store = await openMongoIdentityStore(uri);
        return store;
      },
      async cleanup() {
        await store.close();
        await drop();
      },
    };
  });

  describe('several instances of identity on one MongoDB', () => {
    const { uri, drop } = database();
    let stores: IdentityStore[];
    beforeAll(async () => {
      stores = await Promise.all([1, 2, 3].map(() => openMongoIdentityStore(uri)));
    });
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await drop();
    });

    it('give an address to one of those who want it at once, and nothing to the others', async () => {
      const results = await Promise.all(
        stores.map((store, n) => store.write({ accounts: [account(n)], users: [user(n, 'same@x.example')] })),
      );
      expect([...results].sort()).toEqual(['email-taken', 'email-taken', 'written']);
      const winner = results.indexOf('written');
      for (const store of stores) {
        expect((await store.userByEmail('same@x.example'))?.id).toBe(`user-${winner}`);
        expect(await store.account(`account-${(winner + 1) % 3}`)).toBeNull();
      }
    });

    it('write all changes that do not touch one another, told in one order', async () => {
      const numbers = Array.from({ length: 30 }, (_, n) => n + 10);
      const results = await Promise.all(
        numbers.map((n) => stores[n % 3]!.write({ accounts: [account(n)], users: [user(n, `u${n}@x.example`)] })),
      );
      expect(new Set(results)).toEqual(new Set(['written']));
      const pending = await Promise.all(stores.map((store) => store.outbox.pending(100)));
      expect(pending[0]).toHaveLength(31);
      expect(pending[1]).toEqual(pending[0]);
      await Promise.all(stores.map((store, i) => store.outbox.sent(pending[i]!.map(({ id }) => id))));
      expect(await stores[0]!.outbox.pending(10)).toEqual([]);
    });

    it('let one of two changes of the same thing through', async () => {
      const next = (plan: 'scale' | 'core') => ({ ...account(10), version: 2, facts: onPlan('A', plan, {}, 0) });
      const results = await Promise.all(
        stores.map((store, n) => store.write({ accounts: [next(n === 0 ? 'scale' : 'core')] })),
      );
      expect([...results].sort()).toEqual(['conflict', 'conflict', 'written']);
      expect((await stores[1]!.account('account-10'))?.version).toBe(2);
    });

    it('bring back nothing that is gone when a change is applied once more, late', async () => {
      const connection = await createConnection(uri).asPromise();
      const head = connection.db!.collection<{ _id: string; n: number; change: object | null }>('identity_head');
      await stores[0]!.write({ accounts: [account(90)], users: [user(90, 'late@x.example')] });
      const told = await connection.db!.collection('identity_told').find().sort({ _id: -1 }).limit(1).toArray();
      const { n } = (await head.findOne({ _id: 'head' }))!;
      await stores[0]!.write({ removedUsers: [user(90, 'late@x.example')] });
      const { _id, ...fields } = user(90, 'late@x.example') as never as { _id?: string; id: string };
      const users = [{ _id: fields.id, ...fields, order: 'x' }];
      const nothing = { accounts: [], apiKeys: [], sessions: [], removedUsers: [], removedSessions: [], members: null };
      await head.updateOne(
        { _id: 'head' },
        { $set: { n, change: { ...nothing, users, outbox: told[0]!['outbox'], announcements: [] } } },
      );
      expect(await stores[1]!.user('user-90')).toBeNull();
      expect(await stores[1]!.userByEmail('late@x.example')).toBeNull();
      await head.updateOne({ _id: 'head' }, { $set: { n: n + 1 } });
      await connection.close();
    });

    it('refuse a store whose head is lost', async () => {
      const connection = await createConnection(uri).asPromise();
      await connection.db!.collection('identity_head').deleteMany({});
      await connection.close();
      await expect(openMongoIdentityStore(uri)).rejects.toThrow('identity_head');
    });
  });

  describe('an identity store whose server is gone', () => {
    it('says so in one kind of error', async () => {
      const { uri, drop } = database();
      const store = await openMongoIdentityStore(uri);
      await store.close();
      await expect(store.account('x')).rejects.toThrow(StoreUnreachable);
      await drop();
    });
  });
}
