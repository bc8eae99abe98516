import { randomUUID } from 'node:crypto';
import { StoreUnreachable } from '@countersign/document-store';
import { createConnection } from 'mongoose';
import type { Account, User } from '../domain/members.js';
import { onPlan } from '../domain/plans.js';
import { openMongoIdentityStore } from './open.js';
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

    it('give an address to one of several concurrent callers, and write nothing for the others', async () => {
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

    it('write all independent changes, published in one order', async () => {
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

    it('let one of two concurrent changes of the same document through', async () => {
      const next = (plan: 'scale' | 'core') => ({ ...account(10), version: 2, facts: onPlan('A', plan, {}, 0) });
      const results = await Promise.all(
        stores.map((store, n) => store.write({ accounts: [next(n === 0 ? 'scale' : 'core')] })),
      );
      expect([...results].sort()).toEqual(['conflict', 'conflict', 'written']);
      expect((await stores[1]!.account('account-10'))?.version).toBe(2);
    });
  });

  describe('an identity database of the layout before documents', () => {
    const { uri, drop } = database();
    afterAll(drop);
    const facts = onPlan('A', 'core', {}, 0);
    const key = { accountId: 'a', name: 'k', prefix: 'p', sha256: 's', createdAt: '', revokedAt: null };
    const session = {
      accountId: 'a',
      userId: 'u1',
      email: 'u1@x.example',
      role: 'admin',
      expiresAt: 'z',
      revokedAt: null,
    };
    const older: Readonly<Record<string, readonly object[]>> = {
      identity_accounts: [
        { _id: 'a', version: 3, facts: JSON.stringify(facts), membersVersion: 2, at: 4 },
        { _id: 'b', version: 1, facts: JSON.stringify(facts), at: 2 },
      ],
      identity_users: [
        { _id: 'u2', version: 1, accountId: 'a', email: 'u2@x.example', order: '2', role: 'member', at: 1 },
        { _id: 'u1', version: 2, accountId: 'a', email: 'u1@x.example', order: '1', role: 'admin', at: 3 },
        { _id: 'u0', goneAt: new Date(), at: 3 },
      ].map((one) => ('email' in one ? { ...one, passwordHash: '$hash', createdAt: 'then' } : one)),
      identity_api_keys: Array.from({ length: 700 }, (_, n) => ({
        ...{ _id: `k${n}`, version: 1, accountId: 'a', facts: JSON.stringify(key), at: 5 },
        ...{ order: String(n).padStart(6, '0'), lastUsedAt: n === 3 ? '2026-03-01T00:00:00.000Z' : null },
      })),
      identity_sessions: [{ _id: 's1', version: 1, facts: JSON.stringify(session), at: 6 }],
      identity_sign_in_places: [{ _id: 'u1@x.example 10.0.0.1', atMs: 7 }],
      identity_positions: [{ _id: 2, next: 9 }],
      identity_head: [{ _id: 'head', n: 6, by: 'x', change: { users: [] } }],
    };

    it('is refused if its last change was interrupted, or its head is lost', async () => {
      const connection = await createConnection(uri).asPromise();
      for (const [name, rows] of Object.entries(older)) await connection.db!.collection(name).insertMany([...rows]);
      await expect(openMongoIdentityStore(uri)).rejects.toThrow('interrupted: start the release before');
      await connection.db!.collection('identity_head').deleteMany({});
      await expect(openMongoIdentityStore(uri)).rejects.toThrow('identity_head is empty: restore a backup');
      const head = { _id: 'head', n: 6, by: 'x', change: null };
      await connection.db!.collection<{ _id: string }>('identity_head').insertOne(head);
      await connection.close();
    });

    it('is migrated by several instances at once, in its order, and kept under another name', async () => {
      const stores = await Promise.all([1, 2].map(() => openMongoIdentityStore(uri)));
      const store = stores[0]!;
      expect(await store.account('a')).toEqual({ id: 'a', version: 3, facts });
      expect(await store.members('a')).toEqual({ version: 2, admins: 1 });
      expect(await store.members('b')).toEqual({ version: 0, admins: 0 });
      expect((await store.users('a', 9, 0)).items.map(({ id, version }) => [id, version])).toEqual([
        ['u2', 1],
        ['u1', 2],
      ]);
      expect((await store.userByEmail('u1@x.example'))?.passwordHash).toBe('$hash');
      const keys = await store.apiKeys('a', 4, 695);
      expect([keys.total, keys.items.map(({ id }) => id)]).toEqual([700, ['k4', 'k3', 'k2', 'k1']]);
      expect(keys.items[1]).toMatchObject({ facts: key, lastUsedAt: '2026-03-01T00:00:00.000Z' });
      expect(await store.openSessions('u1')).toEqual([{ id: 's1', version: 1, facts: session }]);
      expect(await store.hasSignedInFrom('u1@x.example', '10.0.0.1', 6)).toBe(true);
      expect(await store.position(2)).toBe(9);
      const connection = await createConnection(uri).asPromise();
      const olderNames = async (): Promise<readonly string[]> => {
        const names = (await connection.db!.listCollections().toArray()).map(({ name }) => name);
        const others = names.filter((name) => !name.startsWith('identity_doc_'));
        return others.map((name) => name.replace(/\.older-\d+$/, '')).sort();
      };
      expect(await olderNames()).toEqual(Object.keys(older).sort());
      // What an instance of the older release writes later is kept, and not migrated.
      await connection
        .db!.collection<{ _id: string }>('identity_users')
        .insertMany([...older['identity_users']!] as never);
      await connection
        .db!.collection<{ _id: string }>('identity_head')
        .insertOne({ _id: 'head', change: null } as never);
      const user = (await store.user('u2'))!;
      expect(await store.write({ removedUsers: [user] })).toBe('written');
      const again = await openMongoIdentityStore(uri);
      expect(await again.user('u2')).toBeNull();
      expect(await olderNames()).toEqual([...Object.keys(older), 'identity_head', 'identity_users'].sort());
      await connection.close();
      await Promise.all([...stores, again].map((one) => one.close()));
    });
  });

  describe('an identity store whose server is unavailable', () => {
    it('throws a single kind of error', async () => {
      const { uri, drop } = database();
      const store = await openMongoIdentityStore(uri);
      await store.close();
      await expect(store.account('x')).rejects.toThrow(StoreUnreachable);
      await drop();
    });
  });
}
