import { nodeCrypto } from '@countersign/process/node-crypto';
import type { Agent } from '../domain/agent.js';
import { createAgent, updateAgent } from '../domain/life-cycle.js';
import { registerAgent } from '../domain/registration.js';
import { TransactionTaken } from './port.js';
import type { PolicyStore } from './port.js';
import type { OpenedStore } from './store.contract.js';

const ACCOUNT = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const T = Date.UTC(2026, 2, 1);
const BY = { kind: 'user', id: 'u' } as const;

function agent(number: number, accountId = ACCOUNT): Agent {
  const id = `aaaaaaaa-aaaa-4aaa-8aaa-${String(number).padStart(12, '0')}`;
  const fields = { name: `agent ${number}`, type: null, purpose: null, version: null };
  return createAgent(id, accountId, fields, BY, T + number, nodeCrypto.sha256).agent;
}

function renamed(before: Agent): Agent {
  const change = updateAgent(before, { name: 'another name' }, BY, T);
  if (change.kind !== 'changed') throw new Error('expected a change');
  return change.agent;
}

function registered(before: Agent, transactionSignature: string): Agent {
  const registration = { walletAddress: 'wallet', transactionSignature };
  const change = registerAgent(before, registration, BY, T, nodeCrypto.sha256);
  if (change.kind !== 'changed') throw new Error('expected a change');
  return change.agent;
}

const record = (value: string) => ({ topic: 'agents', key: 'k', value }) as const;

/** Contract of every store of policy for agents that are registered on the chain. */
export function registeredContract(backend: string, open: () => Promise<OpenedStore>): void {
  describe(`registered agents on ${backend}`, () => {
    let opened: OpenedStore;
    let store: PolicyStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.cleanup());

    it('takes a transaction once, of all agents of all accounts, and writes nothing the second time', async () => {
      for (const one of [agent(1), agent(2, OTHER), agent(3)]) await store.create({ agent: one, records: [] });
      expect(await store.registeredBy('t')).toBeNull();
      expect(await store.replace({ agent: registered(agent(1), 't'), records: [] })).toBe(true);
      const again = store.replace({ agent: registered(agent(2, OTHER), 't'), records: [record('x')] });
      await expect(again).rejects.toThrow(TransactionTaken);
      expect(await store.find(agent(2).id)).toEqual(agent(2, OTHER));
      expect(await store.outbox.pending(10)).toEqual([]);
      store = await opened.reopen();
      expect(await store.registeredBy('t')).toBe(agent(1).id);
      expect(await store.replace({ agent: registered(agent(2, OTHER), 'u'), records: [] })).toBe(true);
      expect(await store.replace({ agent: renamed(agent(3)), records: [] })).toBe(true);
      expect(await store.replace({ agent: renamed(registered(agent(1), 't')), records: [] })).toBe(true);
      expect(await store.registeredBy('t')).toBe(agent(1).id);
    });

    it('lets one of many agents have a transaction that all bring at once', async () => {
      const all = Array.from({ length: 8 }, (_, n) => agent(n, n % 2 === 0 ? ACCOUNT : OTHER));
      for (const one of all) await store.create({ agent: one, records: [] });
      const tries = all.map((one) => store.replace({ agent: registered(one, 't'), records: [] }));
      const ends = await Promise.allSettled(tries);
      const taken = ends.filter((end) => end.status === 'rejected' && end.reason instanceof TransactionTaken);
      expect(taken).toHaveLength(all.length - 1);
      expect((await store.announcements.unannounced(20)).filter(({ version }) => version === 2)).toHaveLength(1);
    });

    it('knows the transaction of an agent that it adopts', async () => {
      await store.create({ agent: agent(1), records: [] });
      for (const n of [1, 2]) await store.adopt(registered(agent(n), `t${n}`));
      expect([await store.registeredBy('t1'), await store.registeredBy('t2')]).toEqual([agent(1).id, agent(2).id]);
      await store.adopt(registered(agent(1), 't1'));
      await expect(store.adopt(registered(agent(3), 't1'))).rejects.toThrow(TransactionTaken);
      expect(await store.find(agent(3).id)).toBeNull();
    });
  });
}
