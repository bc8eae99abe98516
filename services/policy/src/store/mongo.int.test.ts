import { createHash, randomUUID } from 'node:crypto';
import { uuidV7 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { StoreDamaged, StoreUnreachable } from '@countersign/document-store';
import { createConnection } from 'mongoose';
import type { Connection } from 'mongoose';
import type { Agent } from '../domain/agent.js';
import { createAgent } from '../domain/life-cycle.js';
import { registerAgent } from '../domain/registration.js';
import { claimRecord } from '../domain/usage-records.js';
import { AGENTS, followLoad, T, usageOf } from './follow-load.test-double.js';
import { openMongoPolicyStore, openStoreRebuild } from './open.js';
import { TransactionTaken } from './port.js';
import type { PolicyStore } from './port.js';
import { approvalsContract } from './approvals.contract.js';
import { oauthClientsContract } from './oauth-clients.contract.js';
import { registeredContract } from './registered.contract.js';
import { policyStoreContract } from './store.contract.js';
import type { OpenedStore } from './store.contract.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const WITHOUT = 'needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI';

const BY = { kind: 'user', id: 'u' } as const;

function agent(id: string): Agent {
  const fields = { name: 'agent', type: null, purpose: null, version: null };
  return createAgent(id, 'account', fields, BY, T, nodeCrypto.sha256).agent;
}

function registered(id: string, transactionSignature: string): Agent {
  const registration = { walletAddress: 'wallet', transactionSignature };
  const change = registerAgent(agent(id), registration, BY, T, nodeCrypto.sha256);
  if (change.kind !== 'changed') throw new Error('expected a change');
  return change.agent;
}

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
  oauthClientsContract('MongoDB', opened);
  approvalsContract('MongoDB', opened);

  it('counts changes that are not published yet for the command that rebuilds the store', async () => {
    const { uri, drop } = database();
    const store = await openMongoPolicyStore(uri);
    const rebuild = await openStoreRebuild(uri);
    await store.create({ agent: agent('x'), records: [{ topic: 'agents', key: 'x', value: '1' }] });
    expect(await rebuild.unpublished!()).toBe(2);
    await store.outbox.sent((await store.outbox.pending(10)).map(({ id }) => id));
    expect(await rebuild.unpublished!()).toBe(1);
    await store.announcements.announced((await store.announcements.unannounced(10)).map(({ row }) => row));
    expect(await rebuild.unpublished!()).toBe(0);
    for (const each of [store, rebuild]) await each.close();
    await drop();
  });

  describe('a policy store of the layout before documents', () => {
    let connection: Connection;
    let uri: string;
    const id = (n: number): string => uuidV7(T + n, new Uint8Array(10).fill(n));
    const sums = { period: '2026-03', actionsInPeriod: 2, actionsEver: 9 };
    const totals = {
      ...{ partition: 0, offset: 7, day: '2026-03-01', dayMicros: 5, month: '2026-03', monthMicros: 5 },
      rateTimes: [T],
    };
    const claim = {
      ...{ accountId: 'account', keySha256: 'k', bodySha256: 'b', eventId: id(1), occurredAtMs: T },
      answer: { status: 200 },
    };
    const row = ({ id: _id, revision, frozenAtMs, facts }: Agent, order: string) => {
      const text = JSON.stringify(facts);
      const checksum = createHash('sha256').update(`${_id}\n${revision}\n${frozenAtMs}\n${text}`).digest('hex');
      const { accountId, chain_tx_signature: transaction } = facts;
      const registration = transaction === null ? {} : { transaction };
      const rows = { outbox: [], announcements: [] };
      return { _id, accountId, order, revision, frozenAtMs, facts: text, checksum, ...registration, ...rows };
    };
    const rows = (): Readonly<Record<string, readonly object[]>> => ({
      policy_agents: [row(registered('b', 'transaction'), '2'), row(agent('a'), '1')],
      policy_account_usage: [
        {
          _id: 'account',
          parts: { 0: { offset: 7, ...sums }, 2: { offset: 3, ...sums, period: '2026-02' } },
          ...{ revision: 5, changed: true },
        },
      ],
      policy_agent_usage: [{ _id: 'a', totals, revision: 4 }],
      policy_claims: [
        { _id: 'claim:account:k', claim: JSON.stringify(claim), version: T * 2, liveSinceMs: T, changed: true },
        { _id: 'claim:account:o', claim: null, version: T * 2 + 1, changed: true },
      ],
      policy_seen_events: [
        ...[1, 2, 3].map((n) => ({ _id: `00000/${id(n)}`, offset: n })),
        { _id: `00002/${id(1)}`, offset: 2 },
      ],
      policy_positions: [
        { _id: 0, next: 7 },
        { _id: 2, next: 3 },
      ],
    });
    let drop: () => Promise<void>;
    beforeEach(async () => {
      ({ uri, drop } = database());
      connection = await createConnection(uri).asPromise();
      for (const [name, some] of Object.entries(rows())) await collection(name).insertMany([...some] as never);
    });
    afterEach(async () => {
      await connection.close();
      await drop();
    });
    const collection = (name: string) => connection.db!.collection<{ _id: never }>(name);

    it('is turned into documents by whichever instances start, and dropped', async () => {
      const [store, other] = await Promise.all([openMongoPolicyStore(uri), openMongoPolicyStore(uri)]);
      expect((await store.list('account', 9, 0)).items).toEqual([registered('b', 'transaction'), agent('a')]);
      expect(await other.registeredBy('transaction')).toBe('b');
      expect(await store.positions()).toEqual({ 0: 7, 2: 3 });
      expect(await store.unpublished('', 9)).toEqual([
        {
          key: 'account:account',
          version: 5,
          value: { kind: 'account', period: '2026-03', actionsInPeriod: 2, actionsEver: 18, offsets: { 0: 7, 2: 3 } },
        },
        { ...claimRecord(claim), version: T * 2 },
        { key: 'claim:account:o', version: T * 2 + 1, value: null },
      ]);
      const seen = { offset: 7, eventId: id(2), agentId: 'a', accountId: 'account' };
      const own = { ...seen, offset: 8, eventId: id(4) };
      await store.follow({ partition: 0, next: 9, logTimeMs: T, events: [seen, own] }, (fresh, state) => {
        expect(fresh).toEqual([own]);
        expect(state.agentTotals('a')).toEqual({ agentId: 'a', ...totals });
        expect(state.accountTotals('account')).toEqual({ accountId: 'account', ...sums, offsets: { 0: 7 } });
        return { agentTotals: [], accountTotals: [], claims: [], agents: [], approvals: [] };
      });
      await Promise.all([store.close(), other.close()]);
      const names = (await connection.db!.listCollections().toArray()).map(({ name }) => name);
      expect(names.filter((name) => name in rows())).toEqual([]);
    });

    it.each([
      [
        'an agent has changes that were not published',
        'policy_agents',
        { outbox: [{ id: '1' }] },
        'of agent a were not',
      ],
      [
        'an agent has changes that were not announced',
        'policy_agents',
        { announcements: [{ row: '1' }] },
        'of agent a',
      ],
      ['a batch was interrupted', 'policy_seen_events', { offset: 7 }, 'a batch of agent-events was interrupted'],
    ])('is refused, with what to do, where %s', async (_what, name, fields, problem) => {
      await collection(name).updateOne(name === 'policy_agents' ? { _id: 'a' as never } : {}, {
        $set: fields as never,
      });
      await expect(openMongoPolicyStore(uri)).rejects.toThrow(problem);
      await expect(openMongoPolicyStore(uri)).rejects.toThrow('start the release before this one once');
      expect(await collection('policy_agents').countDocuments()).toBe(2);
    });

    it('is refused where an agent is not as it was written', async () => {
      await collection('policy_agents').updateOne({ _id: 'a' as never }, { $set: { frozenAtMs: 9 } as never });
      await expect(openMongoPolicyStore(uri)).rejects.toThrow(StoreDamaged);
      await expect(openMongoPolicyStore(uri)).rejects.toThrow('policy_agents is damaged: agent a');
    });
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
      const agents = connection.db!.collection<{ _id: string; body: string }>('policy_doc_agents');
      const { body } = (await agents.findOne({ _id: 'x' }))!;
      await agents.updateOne({ _id: 'x' }, { $set: { body: body.replace(/"frozenAtMs":\d+/, '"frozenAtMs":9') } });
      await connection.close();
      await expect(stores[0]!.find('x')).rejects.toThrow(StoreDamaged);
      await expect(stores[0]!.list('account', 10, 0)).rejects.toThrow('policy_doc_agents');
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
