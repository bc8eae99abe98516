import { randomUUID } from 'node:crypto';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { StoreDamaged, StoreUnreachable } from '@countersign/document-store';
import { createConnection } from 'mongoose';
import { createAgent } from '../domain/life-cycle.js';
import { registerAgent } from '../domain/registration.js';
import { AGENTS, followLoad, T, usageOf } from './follow-load.test-double.js';
import { openRebuild } from './mongo-rebuild.js';
import { openMongoPolicyStore } from './mongo.js';
import { TransactionTaken } from './port.js';
import type { PolicyStore } from './port.js';
import { registeredContract } from './registered.contract.js';
import { policyStoreContract } from './store.contract.js';
import type { OpenedStore } from './store.contract.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const WITHOUT = 'needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI';

/** A database of its own. */
function database(): { readonly uri: string; readonly drop: () => Promise<void> } {
  const url = new URL(SERVER!);
  url.pathname = `/policy_${randomUUID().slice(0, 8)}`;
  const drop = async (): Promise<void> => {
    const connection = await createConnection(url.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
  };
  return { uri: url.href, drop };
}

if (SERVER === undefined) {
  describe.skip(WITHOUT, () => it('has no server', () => undefined));
} else {
  const opened = async (): Promise<OpenedStore> => {
    const { uri, drop } = database();
    let store = await openMongoPolicyStore(uri);
    return {
      store,
      async reopen() {
        await store.close();
        store = await openMongoPolicyStore(uri);
        return store;
      },
      async cleanup() {
        await store.close();
        await drop();
      },
    };
  };
  policyStoreContract('MongoDB', opened);
  registeredContract('MongoDB', opened);

  it('counts agents with changes that were not told yet for the command that makes the store anew', async () => {
    const { uri, drop } = database();
    const store = await openMongoPolicyStore(uri);
    const rebuild = await openRebuild(uri);
    const connection = await createConnection(uri).asPromise();
    const fields = { name: 'agent', type: null, purpose: null, version: null };
    const { agent } = createAgent('x', 'account', fields, { kind: 'user', id: 'u' }, T, nodeCrypto.sha256);
    await store.create({ agent, records: [{ topic: 'agents', key: 'x', value: '1' }] });
    await store.create({ agent: { ...agent, id: 'y' }, records: [] });
    // Totals that cannot be read hide no change.
    await connection.db!.collection<{ _id: string }>('policy_account_usage').insertOne({ _id: 'damaged' });
    expect(await rebuild.unpublished!()).toBe(1);
    await store.outbox.sent((await store.outbox.pending(10)).map(({ id }) => id));
    expect(await rebuild.unpublished!()).toBe(0);
    await connection.db!.collection<{ _id: string }>('policy_agents').updateOne({ _id: 'y' }, { $set: { outbox: 7 } });
    expect(await rebuild.unpublished!()).toBe(1);
    for (const each of [store, rebuild, connection]) await each.close();
    await drop();
  });

  describe('several instances of policy on one MongoDB', () => {
    const { uri, drop } = database();
    let stores: PolicyStore[];
    beforeAll(async () => {
      stores = await Promise.all([1, 2, 3].map(() => openMongoPolicyStore(uri)));
    });
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await drop();
    });

    it('count each event once, also where two follow one partition and never agree on a batch', async () => {
      const END = 60;
      await Promise.all([
        followLoad(stores[0]!, 0, 0, END, 7),
        followLoad(stores[1]!, 0, 0, END, 11),
        followLoad(stores[2]!, 1, 0, END, 13),
        followLoad(stores[0]!, 2, 0, END, 60),
      ]);
      expect(await stores[0]!.positions()).toEqual({ 0: END, 1: END, 2: END });
      const stored = await usageOf(stores[1]!);
      const perAccount = (END / 2) * 3;
      expect(stored.get('account:account 0')).toMatchObject({ actionsEver: perAccount, actionsInPeriod: perAccount });
      expect(stored.get('account:account 1')).toMatchObject({ offsets: { 0: END, 1: END, 2: END } });
      const spent = (n: number) => Array.from({ length: END / 3 }, (_, i) => i * 3 + n).reduce((sum, i) => sum + i, 0);
      for (const partition of [0, 1, 2]) {
        AGENTS.forEach((name, n) =>
          expect(stored.get(`agent:${name}${partition}`)).toMatchObject({ dayMicros: spent(n), partition }),
        );
      }
    });

    it('leave a partition alone that they have lost, however late they wake', async () => {
      const before = await usageOf(stores[0]!);
      await followLoad(stores[2]!, 0, 0, 42, 21);
      expect(await stores[0]!.position(0)).toBe(60);
      expect(await usageOf(stores[0]!)).toEqual(before);
    });

    it('never overwrite one another: one of two changes of an agent wins', async () => {
      const fields = { name: 'agent', type: null, purpose: null, version: null };
      const { agent } = createAgent('x', 'account', fields, { kind: 'user', id: 'u' }, T, nodeCrypto.sha256);
      const created = await Promise.all(stores.map((store) => store.create({ agent, records: [] })));
      expect(created.filter(Boolean)).toHaveLength(1);
      const replaced = await Promise.all(
        stores.map((store, n) => store.replace({ agent: { ...agent, revision: 2, frozenAtMs: n }, records: [] })),
      );
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect((await stores[0]!.announcements.unannounced(10)).map(({ version }) => version)).toEqual([1, 2]);
    });

    it('never let two agents have one transaction, whichever instance registers them', async () => {
      const fields = { name: 'agent', type: null, purpose: null, version: null };
      const by = { kind: 'user', id: 'u' } as const;
      const registration = { walletAddress: 'wallet', transactionSignature: 'transaction' };
      const writes = Array.from({ length: 9 }, (_, n) => {
        const { agent } = createAgent(`registers ${n}`, `account ${n % 2}`, fields, by, T, nodeCrypto.sha256);
        const change = registerAgent(agent, registration, by, T, nodeCrypto.sha256);
        if (change.kind !== 'changed') throw new Error('expected a change');
        return { created: { agent, records: [] }, registered: { agent: change.agent, records: [] } };
      });
      for (const { created } of writes) await stores[0]!.create(created);
      const ends = await Promise.allSettled(writes.map(({ registered }, n) => stores[n % 3]!.replace(registered)));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(TransactionTaken);
    });

    it('never serve an agent that is not as it was written', async () => {
      const connection = await createConnection(uri).asPromise();
      await connection.db!.collection('policy_agents').updateOne({ _id: 'x' as never }, { $set: { frozenAtMs: 9 } });
      await connection.close();
      await expect(stores[0]!.find('x')).rejects.toThrow(StoreDamaged);
      await expect(stores[0]!.list('account', 10, 0)).rejects.toThrow('policy_agents');
    });
  });

  describe('a policy store whose server is gone', () => {
    it('says so in one kind of error', async () => {
      const { uri } = database();
      const store = await openMongoPolicyStore(uri);
      await store.close();
      await expect(store.find('x')).rejects.toThrow(StoreUnreachable);
      await expect(store.outbox.pending(1)).rejects.toThrow(StoreUnreachable);
    });
  });
}
