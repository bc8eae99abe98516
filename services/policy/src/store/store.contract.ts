import { StoreFellBack } from '@countersign/event-log';
import { uuidV7 } from '@countersign/evidence';
import fc from 'fast-check';
import type { Agent } from '../domain/agent.js';
import { createAgent, freezeAgent } from '../domain/life-cycle.js';
import type { AccountTotals, Claim } from '../domain/usage.js';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { AgentFilter, FollowEffects, PolicyStore, UsageRow } from './port.js';

const ACCOUNT = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const T = Date.UTC(2026, 2, 1);
const HOUR = 3_600_000;
const BY = { kind: 'user', id: 'u' } as const;
const NOTHING: FollowEffects = { agentTotals: [], accountTotals: [], claims: [], agents: [], approvals: [] };

export interface OpenedStore {
  readonly store: PolicyStore;
  /** Closes and opens again what was written. */
  reopen(): Promise<PolicyStore>;
  cleanup(): Promise<void>;
}

function agent(number: number, accountId = ACCOUNT): Agent {
  const id = `aaaaaaaa-aaaa-4aaa-8aaa-${String(number).padStart(12, '0')}`;
  const fields = { name: `agent ${number}`, type: null, purpose: null, version: null };
  return createAgent(id, accountId, fields, BY, T + number, nodeCrypto.sha256).agent;
}

function frozen(before: Agent): Agent {
  const change = freezeAgent(before, null, BY, T, T);
  if (change.kind !== 'changed') throw new Error('expected a change');
  return change.agent;
}

const record = (value: string) => ({ topic: 'agents', key: 'k', value }) as const;
const eventId = (ms: number, byte = 0): string => uuidV7(ms, new Uint8Array(10).fill(byte));
const event = (offset: number, id: string, agentId = 'a') => ({ offset, eventId: id, agentId, accountId: ACCOUNT });

function totals(actionsEver: number): AccountTotals {
  return { accountId: ACCOUNT, period: '2026-03', actionsInPeriod: actionsEver, actionsEver, offsets: { 0: 1 } };
}

function claim(occurredAtMs: number): Claim {
  const answer = { status: 200, body: '{"allowed":true}' };
  return { accountId: ACCOUNT, keySha256: 'k', bodySha256: 'b', eventId: eventId(occurredAtMs), occurredAtMs, answer };
}

/** Follows a batch of a partition with an event of each account, whose totals in the partition are `actions` after it. */
function count(
  store: PolicyStore,
  partition: number,
  batch: number,
  accountIds: readonly string[],
  actions: number,
  more: Partial<FollowEffects> = {},
): Promise<void> {
  const first = batch * 100;
  const events = accountIds.map((accountId, i) => ({ ...event(first + i, eventId(T + first + i)), accountId }));
  const accountTotals = accountIds.map((accountId): AccountTotals => {
    return { ...totals(actions), accountId, offsets: { [partition]: actions } };
  });
  const effects = { ...NOTHING, accountTotals, ...more };
  return store.follow({ partition, next: first + 100, logTimeMs: T, events }, () => effects);
}

/** The pages of one sweep. */
async function sweep(store: PolicyStore, limit: number): Promise<readonly (readonly UsageRow[])[]> {
  const pages: (readonly UsageRow[])[] = [];
  for (let after = ''; ;) {
    const page = await store.unpublished(after, limit);
    if (page.length === 0) return pages;
    pages.push(page);
    after = page.at(-1)!.key;
  }
}

/** Contract of every store of policy. */
export function policyStoreContract(backend: string, open: () => Promise<OpenedStore>): void {
  describe(`the policy store on ${backend}`, () => {
    let opened: OpenedStore;
    let store: PolicyStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.cleanup());

    describe('agents', () => {
      it('keeps an agent, its messages and its announcement together, over a restart', async () => {
        expect(await store.create({ agent: agent(1), records: [record('1'), record('2')] })).toBe(true);
        store = await opened.reopen();
        expect(await store.find(agent(1).id)).toEqual(agent(1));
        expect(await store.findOf(ACCOUNT, agent(1).id)).toEqual(agent(1));
        expect(await store.findOf(OTHER, agent(1).id)).toBeNull();
        expect(await store.findOf(ACCOUNT, agent(2).id)).toBeNull();
        expect((await store.outbox.pending(10)).map((row) => row.record.value)).toEqual(['1', '2']);
        expect(await store.announcements.unannounced(10)).toMatchObject([
          { kind: 'agent', id: agent(1).id, version: 1 },
        ]);
      });

      it('creates no more agents of an account than it may have; one that exists is said to exist', async () => {
        for (const n of [1, 2]) expect(await store.create({ agent: agent(n), records: [] }, 2)).toBe(true);
        await expect(store.create({ agent: agent(3), records: [record('x')] }, 2)).rejects.toMatchObject({
          name: 'AgentsFull',
        });
        expect(await store.create({ agent: agent(2), records: [] }, 2)).toBe(false);
        expect(await store.find(agent(3).id)).toBeNull();
        expect(await store.create({ agent: agent(9, OTHER), records: [] }, 2)).toBe(true);
      });

      it('creates an id once, and writes nothing the second time', async () => {
        await store.create({ agent: agent(1), records: [] });
        expect(await store.create({ agent: { ...agent(1), frozenAtMs: 7 }, records: [record('x')] })).toBe(false);
        expect(await store.find(agent(1).id)).toEqual(agent(1));
        expect(await store.outbox.pending(10)).toEqual([]);
      });

      it('replaces only the revision before, so that no change is lost', async () => {
        await store.create({ agent: agent(1), records: [] });
        expect(await store.replace({ agent: frozen(agent(1)), records: [record('first')] })).toBe(true);
        expect(await store.replace({ agent: frozen(agent(1)), records: [record('second')] })).toBe(false);
        expect(await store.replace({ agent: frozen(agent(2)), records: [] })).toBe(false);
        expect((await store.outbox.pending(10)).map((row) => row.record.value)).toEqual(['first']);
        expect((await store.announcements.unannounced(10)).map((row) => row.version)).toEqual([1, 2]);
      });

      it('adopts an agent of a topic unless it has that or a later one, and publishes nothing', async () => {
        await store.create({ agent: agent(1), records: [] });
        const later = { ...frozen(agent(1)), revision: 5 };
        for (const published of [later, { ...later, frozenAtMs: 7 }, agent(1), agent(2)]) await store.adopt(published);
        expect([await store.find(agent(1).id), await store.find(agent(2).id)]).toEqual([later, agent(2)]);
        expect(await store.replace({ agent: { ...later, revision: 6 }, records: [] })).toBe(true);
        expect((await store.announcements.unannounced(10)).map(({ version }) => version)).toEqual([1, 6]);
      });

      it('lists an account newest first, in pages, and no other account', async () => {
        for (const n of [1, 2, 3]) await store.create({ agent: agent(n), records: [] });
        await store.create({ agent: agent(9, OTHER), records: [] });
        const page = await store.list(ACCOUNT, 2, 1);
        expect(page.items.map(({ facts }) => facts.name)).toEqual(['agent 2', 'agent 1']);
        expect(page.total).toBe(3);
        expect((await store.list(OTHER, 10, 0)).total).toBe(1);
      });

      it('lists agents of a state, and with a text in their name or id, newest first or by name', async () => {
        const named = (n: number, name: string, accountId = ACCOUNT): Agent => {
          const one = agent(n, accountId);
          return { ...one, facts: { ...one.facts, name } };
        };
        const agents = [named(1, 'beta Booking'), named(2, 'Straße'), named(3, 'ΛΟΓΟΣ a'), named(4, 'Alpha (new)')];
        for (const one of [...agents, named(5, 'beta', OTHER)]) await store.create({ agent: one, records: [] });
        await store.replace({ agent: frozen(agents[0]!), records: [] });
        const listed = async (filter: AgentFilter, limit = 10, offset = 0): Promise<readonly unknown[]> => {
          const { items, total } = await store.list(ACCOUNT, limit, offset, filter);
          return [...items.map(({ id }) => Number(id.slice(-2))), total];
        };
        expect(await listed({})).toEqual([4, 3, 2, 1, 4]);
        expect(await listed({ isByName: true })).toEqual([4, 1, 2, 3, 4]);
        expect(await listed({ isByName: true }, 2, 1)).toEqual([1, 2, 4]);
        expect(await listed({ status: 'frozen' })).toEqual([1, 1]);
        expect(await listed({ status: 'active', text: 'A', isByName: true }, 1, 2)).toEqual([3, 3]);
        for (const text of ['BOOK', 'book', 'a b']) expect(await listed({ text })).toEqual([1, 1]);
        for (const text of ['strasse', 'STRASSE', 'aße']) expect(await listed({ text })).toEqual([2, 1]);
        for (const text of ['λογος', 'ΓΟς']) expect(await listed({ text })).toEqual([3, 1]);
        for (const text of ['(', '.', '%', '_']) expect(await listed({ text })).toEqual(text === '(' ? [4, 1] : [0]);
        expect(await listed({ text: agents[1]!.id.slice(9).toUpperCase() })).toEqual([2, 1]);
        const renamed = { ...frozen(agents[0]!), revision: 3, facts: { ...agents[0]!.facts, name: 'zeta' } };
        expect(await store.replace({ agent: renamed, records: [] })).toBe(true);
        expect(await listed({ text: 'beta' })).toEqual([0]);
        expect(await listed({ isByName: true })).toEqual([4, 2, 1, 3, 4]);
      });

      it('walks through all agents of all accounts', async () => {
        for (let n = 0; n < 1203; n += 1) await store.create({ agent: agent(n), records: [] });
        const ids = new Set<string>();
        for await (const { id } of store.all()) ids.add(id);
        expect(ids.size).toBe(1203);
      });

      it('does not know what it was not given', async () => {
        expect(await store.find(agent(1).id)).toBeNull();
      });
    });

    describe('following the log', () => {
      const follow = (from: number, next: number, ids: readonly string[], logTimeMs = T) => {
        const seen: string[] = [];
        const batch = { partition: 0, next, logTimeMs, events: ids.map((id, i) => event(from + i, id)) };
        const decide = (fresh: readonly { readonly eventId: string }[]): FollowEffects => {
          seen.push(...fresh.map((each) => each.eventId));
          return NOTHING;
        };
        return store.follow(batch, decide).then(() => seen);
      };

      it('knows no position before the first batch', async () => {
        expect(await store.position(0)).toBeNull();
        expect(await store.positions()).toEqual({});
      });

      it('takes a repeated batch, and the part of a batch that it has, for nothing', async () => {
        expect(await follow(0, 2, [eventId(T, 1), eventId(T, 2)])).toHaveLength(2);
        expect(await follow(0, 2, [eventId(T, 1), eventId(T, 2)])).toEqual([]);
        expect(await follow(1, 3, [eventId(T, 2), eventId(T, 3)])).toEqual([eventId(T, 3)]);
        expect(await store.position(0)).toBe(3);
      });

      it('refuses a batch that begins past its position: it has lost what it had acknowledged', async () => {
        const late = { partition: 0, from: 1, next: 2, logTimeMs: T, events: [event(1, eventId(T, 1))] };
        await expect(store.follow(late, () => NOTHING)).rejects.toThrow(StoreFellBack);
        await follow(0, 1, [eventId(T)]);
        await store.follow(late, () => NOTHING);
        await expect(store.follow({ ...late, from: 3, next: 4 }, () => NOTHING)).rejects.toThrow(StoreFellBack);
        expect(await store.position(0)).toBe(2);
      });

      it('counts an event id once in its partition, over a restart', async () => {
        await follow(0, 1, [eventId(T)]);
        store = await opened.reopen();
        expect(await follow(1, 3, [eventId(T), eventId(T)])).toEqual([]);
        expect(await store.position(0)).toBe(3);
      });

      it('remembers ids for 72 hours of the log, then forgets them', async () => {
        await follow(0, 1, [eventId(T)]);
        await follow(1, 2, [], T + 72 * HOUR);
        expect(await follow(2, 3, [eventId(T)], T + 72 * HOUR)).toEqual([]);
        await follow(3, 4, [], T + 73 * HOUR);
        expect(await follow(4, 5, [eventId(T)], T + 73 * HOUR)).toEqual([eventId(T)]);
      });

      it('moves nothing when the decision throws', async () => {
        const batch = { partition: 0, next: 1, logTimeMs: T, events: [event(0, eventId(T))] };
        await expect(
          store.follow(batch, () => {
            throw new Error('no');
          }),
        ).rejects.toThrow('no');
        expect(await store.position(0)).toBeNull();
        expect(await follow(0, 1, [eventId(T)])).toHaveLength(1);
      });

      it('writes agents, totals and position in one step, and shows them to the next decision', async () => {
        await store.create({ agent: agent(1), records: [] });
        const [first, second] = [event(0, eventId(T), agent(1).id), event(1, eventId(T, 1), agent(1).id)];
        await store.follow({ partition: 0, next: 1, logTimeMs: T, events: [first] }, (_fresh, state) => {
          expect(state.agent(agent(1).id)).toEqual(agent(1));
          expect(state.accountTotals(ACCOUNT)).toBeNull();
          const agents = [{ agent: frozen(agent(1)), records: [record('frozen')] }];
          return { ...NOTHING, accountTotals: [totals(1)], agents };
        });
        expect((await store.find(agent(1).id))?.facts.status).toBe('frozen');
        expect((await store.outbox.pending(10)).map((row) => row.record.value)).toEqual(['frozen']);
        await store.follow({ partition: 0, next: 2, logTimeMs: T, events: [second] }, (_fresh, state) => {
          expect(state.accountTotals(ACCOUNT)).toEqual(totals(1));
          return NOTHING;
        });
      });

      it('writes nothing of a batch whose agent is at another revision', async () => {
        await store.create({ agent: agent(1), records: [] });
        await store.replace({ agent: frozen(agent(1)), records: [] });
        const batch = { partition: 0, next: 1, logTimeMs: T, events: [event(0, eventId(T), agent(1).id)] };
        const effects = { ...NOTHING, accountTotals: [totals(1)], agents: [{ agent: frozen(agent(1)), records: [] }] };
        await expect(store.follow(batch, () => effects)).rejects.toThrow();
        expect(await store.position(0)).toBeNull();
        expect(await store.unpublished('', 10)).toEqual([]);
      });
    });

    describe('usage to publish', () => {
      const write = (batch: number, effects: Partial<FollowEffects>) => {
        const events = ['a1', 'a2', 'a3'].map((id, i) => event(batch * 3 + i, eventId(T, batch * 3 + i), id));
        const next = batch * 3 + 3;
        return store.follow({ partition: 0, next, logTimeMs: T, events }, () => ({ ...NOTHING, ...effects }));
      };
      const agentTotals = (agentId: string) => ({
        ...{ agentId, partition: 0, offset: 1, day: '2026-03-01', dayMicros: 5, month: '2026-03', monthMicros: 5 },
        rateTimes: [T],
      });

      it('gives every changed row once, in the order of keys, page by page', async () => {
        const agents = ['a1', 'a2', 'a3'].map(agentTotals);
        await write(1, { accountTotals: [totals(1)], agentTotals: agents, claims: [claim(T)] });
        const keys: string[] = [];
        for (let after = ''; ;) {
          const rows = await store.unpublished(after, 2);
          if (rows.length === 0) break;
          keys.push(...rows.map((row) => row.key));
          after = keys.at(-1)!;
        }
        expect(keys).toEqual([`account:${ACCOUNT}`, 'agent:a1', 'agent:a2', 'agent:a3', `claim:${ACCOUNT}:k`]);
      });

      it('gives accounts of several partitions, summed over all of them, before any agent', async () => {
        const accounts = [1, 2, 3].map((n) => `account ${n}`);
        for (const partition of [0, 1, 2]) await count(store, partition, 0, accounts, partition + 1);
        await count(store, 0, 1, [], 0, { agentTotals: [agentTotals('a1')] });
        const pages = await sweep(store, 3);
        expect(pages.map((page) => page.map(({ key }) => key))).toEqual([
          accounts.map((id) => `account:${id}`),
          ['agent:a1'],
        ]);
        for (const row of pages[0]!) {
          expect(row).toMatchObject({ version: 3, value: { actionsEver: 6, offsets: { 0: 1, 1: 2, 2: 3 } } });
        }
      });

      it('gives every row once, in order and with the sums of all partitions, in pages of any size', async () => {
        const part = fc.record({ partition: fc.nat(3), accounts: fc.uniqueArray(fc.nat(9), { minLength: 1 }) });
        const cases = fc.record({
          before: fc.array(part),
          after: fc.array(part),
          agents: fc.nat(6),
          claims: fc.nat(6),
        });
        let run = 0;
        let batch = 0;
        const property = fc.asyncProperty(cases, async ({ before, after, agents, claims }) => {
          // The runs share the store: each has ids of its own, and publishes what it has written.
          run += 1;
          const ids = (numbers: readonly number[]) => numbers.map((n) => `${run}/${n}`);
          const publish = async () => {
            for (const page of await sweep(store, 100)) await store.published(page);
          };
          const actions = new Map<string, Record<number, number>>();
          const countAll = async (parts: typeof after) => {
            for (const { partition, accounts } of parts) {
              batch += 1;
              await count(store, partition, batch, ids(accounts), batch);
              for (const id of ids(accounts)) actions.set(id, { ...actions.get(id), [partition]: batch });
            }
          };
          await countAll(before);
          await publish();
          await countAll(after);
          const [agentIds, keys] = [agents, claims].map((most) => ids([...Array(most).keys()]));
          batch += 1;
          await count(store, 0, batch, [], 0, {
            agentTotals: agentIds!.map(agentTotals),
            claims: keys!.map((keySha256) => ({ ...claim(T), keySha256 })),
          });
          const changed = [...new Set(after.flatMap(({ accounts }) => ids(accounts)))].sort();
          const expected = [
            ...changed.map((id) => {
              const offsets = actions.get(id)!;
              const actionsEver = Object.values(offsets).reduce((sum, each) => sum + each, 0);
              return { key: `account:${id}`, value: { actionsEver, offsets } };
            }),
            ...agentIds!.map((id) => ({ key: `agent:${id}` })),
            ...keys!.map((key) => ({ key: `claim:${ACCOUNT}:${key}` })),
          ];
          for (let size = 1; size <= 7; size += 1) {
            const pages = await sweep(store, size);
            expect(pages.flat()).toMatchObject(expected);
            expect(Math.max(0, ...pages.map((page) => page.length))).toBeLessThanOrEqual(size);
          }
          await publish();
        });
        await fc.assert(property, { numRuns: 10, endOnFailure: true });
      });

      it('gives a published row again only after a change, with a higher version', async () => {
        await write(1, { accountTotals: [totals(1)] });
        const first = await store.unpublished('', 10);
        await store.published(first);
        expect(await store.unpublished('', 10)).toEqual([]);
        await write(2, { accountTotals: [totals(2)] });
        const second = await store.unpublished('', 10);
        expect(second[0]!.version).toBeGreaterThan(first[0]!.version);
        expect(second[0]!.value).toMatchObject({ kind: 'account', actionsEver: 2 });
      });

      it('keeps a row unpublished that changed while it was under way', async () => {
        await write(1, { accountTotals: [totals(1)] });
        const under = await store.unpublished('', 10);
        await write(2, { accountTotals: [totals(2)] });
        await store.published(under);
        expect(await store.unpublished('', 10)).toHaveLength(1);
      });

      it('ends claims by their age, once, and lets a later claim of the same key follow', async () => {
        await write(1, { claims: [claim(T)] });
        const before = await store.unpublished('', 10);
        await store.published(before);
        expect(await store.endClaims(T, 10)).toBe(0);
        expect(await store.endClaims(T + 1, 10)).toBe(1);
        const over = await store.unpublished('', 10);
        expect(over).toMatchObject([{ key: `claim:${ACCOUNT}:k`, value: null }]);
        expect(over[0]!.version).toBeGreaterThan(before[0]!.version);
        await store.published(over);
        expect(await store.unpublished('', 10)).toEqual([]);
        await write(2, { claims: [claim(T + 24 * HOUR)] });
        const again = await store.unpublished('', 10);
        expect(again[0]!.version).toBeGreaterThan(over[0]!.version);
      });
    });
  });
}
