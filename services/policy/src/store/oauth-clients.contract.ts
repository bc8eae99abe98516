import { nodeCrypto } from '@countersign/process/node-crypto';
import type { Agent } from '../domain/agent.js';
import { createAgent, deactivateAgent, freezeAgent, updateAgent } from '../domain/life-cycle.js';
import type { Change } from '../domain/change.js';
import { ClientTaken } from './port.js';
import type { PolicyStore } from './port.js';
import type { OpenedStore } from './store.contract.js';

const ACCOUNT = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const T = Date.UTC(2026, 2, 1);
const BY = { kind: 'user', id: 'u' } as const;

function agent(number: number, clients: readonly string[] = [], accountId = ACCOUNT): Agent {
  const id = `aaaaaaaa-aaaa-4aaa-8aaa-${String(number).padStart(12, '0')}`;
  const fields = { name: `agent ${number}`, type: null, purpose: null, version: null, oauthClientIds: clients };
  return createAgent(id, accountId, fields, BY, T + number, nodeCrypto.sha256).agent;
}

function changed(change: Change): Agent {
  if (change.kind !== 'changed') throw new Error('expected a change');
  return change.agent;
}

const withClients = (before: Agent, oauthClientIds: readonly string[]): Agent =>
  changed(updateAgent(before, { oauthClientIds }, BY, T));
const write = (one: Agent) => ({ agent: one, records: [] });
const record = { topic: 'agents', key: 'k', value: 'x' } as const;

/** Contract of every store of policy for agents with OAuth client ids. */
export function oauthClientsContract(backend: string, open: () => Promise<OpenedStore>): void {
  describe(`OAuth clients of agents on ${backend}`, () => {
    let opened: OpenedStore;
    let store: PolicyStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.cleanup());

    it('gives a client to one agent of an account, and to one of each account; refused, it writes nothing', async () => {
      await store.create(write(agent(1, ['a', 'b'])));
      await store.create(write(agent(2, ['a'], OTHER)));
      const refused = store.create({ agent: agent(3, ['c', 'b']), records: [record] });
      await expect(refused).rejects.toMatchObject({ name: 'ClientTaken', clientId: 'b', agentId: agent(1).id });
      expect(await store.find(agent(3).id)).toBeNull();
      expect(await store.outbox.pending(10)).toEqual([]);
      // `c` was not taken by what was refused.
      await store.create(write(agent(4, ['c'])));
      store = await opened.reopen();
      await expect(store.replace(write(withClients(agent(4, ['c']), ['a'])))).rejects.toThrow(ClientTaken);
      expect(await store.find(agent(4).id)).toEqual(agent(4, ['c']));
    });

    it('gives back what an agent no longer has, also when it is deactivated, and keeps it over other changes', async () => {
      await store.create(write(agent(1, ['a', 'b'])));
      await store.create(write(agent(2)));
      const named = changed(updateAgent(agent(1, ['a', 'b']), { name: 'x' }, BY, T));
      expect(await store.replace(write(named))).toBe(true);
      const frozen = changed(freezeAgent(named, null, BY, T, T));
      expect(await store.replace(write(frozen))).toBe(true);
      await expect(store.replace(write(withClients(agent(2), ['a'])))).rejects.toThrow(ClientTaken);
      const fewer = withClients(frozen, ['b']);
      expect(await store.replace(write(fewer))).toBe(true);
      const second = withClients(agent(2), ['a']);
      expect(await store.replace(write(second))).toBe(true);
      expect(await store.replace(write(changed(deactivateAgent(fewer, null, BY, T))))).toBe(true);
      expect(await store.replace(write(withClients(second, ['a', 'b'])))).toBe(true);
    });

    it('gives a client to one of many agents that take it at once', async () => {
      const all = Array.from({ length: 8 }, (_, n) => agent(n));
      for (const one of all) await store.create(write(one));
      const ends = await Promise.allSettled(all.map((one) => store.replace(write(withClients(one, ['a'])))));
      const refused = ends.filter((end) => end.status === 'rejected');
      expect(ends.filter((end) => end.status === 'fulfilled' && end.value)).toHaveLength(1);
      expect(refused.map(({ reason }) => (reason as Error).name)).toEqual(refused.map(() => 'ClientTaken'));
      expect(refused).toHaveLength(all.length - 1);
      const stored = await Promise.all(all.map(({ id }) => store.find(id)));
      expect(stored.filter((one) => one?.facts.oauthClientIds !== undefined)).toHaveLength(1);
    });

    it('is at another revision where a client has moved since it was read, which is no refusal', async () => {
      const first = agent(1, ['a', 'b']);
      await store.create(write(first));
      await store.create(write(agent(2)));
      expect(await store.replace(write(withClients(first, ['b'])))).toBe(true);
      expect(await store.replace(write(withClients(agent(2), ['a'])))).toBe(true);
      const renamed = changed(updateAgent(first, { name: 'x' }, BY, T));
      expect(await store.replace(write(renamed))).toBe(false);
      await expect(store.create(write(agent(3, ['b'])))).rejects.toMatchObject({ agentId: first.id });
    });

    it.each([['forwards'], ['backwards']])('adopts agents between which a client moved, %s', async (order) => {
      const first = agent(1, ['a', 'b']);
      await store.create(write(first));
      const [without, taker] = [withClients(first, ['b']), agent(2, ['a'])];
      for (const one of order === 'forwards' ? [without, taker] : [taker, without]) await store.adopt(one);
      await expect(store.create(write(agent(3, ['a'])))).rejects.toMatchObject({ agentId: taker.id });
      await expect(store.create(write(agent(3, ['b'])))).rejects.toMatchObject({ agentId: first.id });
      // An older record than the stored one changes nothing.
      await store.adopt(first);
      expect(await store.replace(write(withClients(without, ['b', 'c'])))).toBe(true);
    });
  });
}
