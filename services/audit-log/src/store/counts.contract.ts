import type { EventEnvelope } from '@countersign/contracts';
import { classOf } from '../domain/event-class.js';
import { HOUR_MS } from '../domain/count-times.js';
import { rareEvents } from '../list-events/rare-events.js';
import { appenderTo } from '../testing/appender-to.js';
import { anchoredWindow } from '../testing/anchored-window.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other, START } from '../testing/envelopes.js';
import { scan } from '../testing/scan.js';
import type { EventStore, HourlyCount, HourlyQuery, StepCount, StepQuery } from './port.js';

const HOUR = Math.floor(START / HOUR_MS);
const EVERY: HourlyQuery = { filter: {}, firstHour: HOUR - 10, endHour: HOUR + 100, hoursEach: 1 };

/** Counts by hour, and what is read by them, of every {@link EventStore}. `open` gives an empty store. */
export function countsContract(name: string, backend: { open(): Promise<EventStore>; clean(): Promise<void> }): void {
  describe(`counts of an event store: ${name}`, () => {
    let store: EventStore;
    let append: ReturnType<typeof appenderTo>;

    beforeEach(async () => {
      store = await backend.open();
      append = appenderTo(() => store);
    });
    afterEach(async () => {
      await store.close();
      await backend.clean();
    });

    const sorted = (counts: readonly HourlyCount[]): string[] =>
      counts.map((one) => `${one.agentId} ${one.hour} ${one.class.type} ${one.class.outcome} ${one.count}`).sort();

    it('are those of all events, by agent, class and step', async () => {
      const all: EventEnvelope[] = [];
      for (let n = 0; n < 60; n += 1) {
        const parts = { agent: n % 3, occurredAtMs: START + n * 20 * 60_000, ...(n % 3 === 2 && { accountId: 'b' }) };
        all.push(n % 4 === 0 ? denied(n, parts) : n % 7 === 0 ? other(n, 'agent.frozen', parts) : envelope(n, parts));
      }
      await append(...all);
      const expected = (query: HourlyQuery): string[] => {
        const counts = new Map<string, HourlyCount>();
        for (const { leaf, accountId } of all) {
          const hour = Math.floor(Date.parse(leaf.occurredAt) / HOUR_MS);
          const { agentIds, firstHour, endHour, hoursEach, filter } = query;
          if (accountId !== ACCOUNT || (agentIds !== undefined && !agentIds.includes(leaf.agentId))) continue;
          if (hour < firstHour || hour >= endHour || (filter.outcome ?? leaf.outcome) !== leaf.outcome) continue;
          const agent = agentIds === undefined ? null : leaf.agentId;
          const step = hour - (hour % hoursEach);
          const key = JSON.stringify([agent, step, classOf(leaf)]);
          const count = (counts.get(key)?.count ?? 0) + 1;
          counts.set(key, { agentId: agent, hour: step, class: classOf(leaf), count });
        }
        return sorted([...counts.values()]);
      };
      const agents = [0, 1, 2, 9].map(agentId);
      for (const query of [
        EVERY,
        { ...EVERY, hoursEach: 24 },
        { ...EVERY, agentIds: agents, hoursEach: 5 },
        { ...EVERY, agentIds: [agentId(1)], filter: { outcome: 'denied' } },
        { ...EVERY, firstHour: HOUR + 2, endHour: HOUR + 4 },
        { ...EVERY, agentIds: [] },
      ]) {
        expect(sorted(await store.countHours(ACCOUNT, query))).toEqual(expected(query));
      }
      expect(await store.countHours('unknown', EVERY)).toEqual([]);
    });

    it('are those of all events in steps of any length, and by rule', async () => {
      const all: EventEnvelope[] = [];
      for (let n = 0; n < 60; n += 1) {
        const parts = { agent: n % 3, occurredAtMs: START + n * 40_000, ...(n % 3 === 2 && { accountId: 'b' }) };
        const leaf = { rule: n % 8 === 0 ? 'rules:refunds' : 'allowed_apis:' };
        all.push(n % 4 === 0 ? denied(n, { ...parts, leaf }) : envelope(n, parts));
      }
      await append(...all);
      const expected = ({ agentIds, filter, fromMs, toMs, stepMs, byRule }: StepQuery): string[] => {
        const counts = new Map<string, number>();
        for (const { leaf, accountId } of all) {
          const at = Date.parse(leaf.occurredAt);
          if (accountId !== ACCOUNT || (agentIds !== undefined && !agentIds.includes(leaf.agentId))) continue;
          if (at < fromMs || at >= toMs || (filter.outcome ?? leaf.outcome) !== leaf.outcome) continue;
          if (byRule && leaf.rule === null) continue;
          const key = JSON.stringify([
            ...[agentIds === undefined ? null : leaf.agentId, at - (at % stepMs)],
            ...[classOf(leaf), byRule ? leaf.rule : null],
          ]);
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        return [...counts].map(([key, count]) => `${key} ${count}`).sort();
      };
      const read = (counts: readonly StepCount[]): string[] =>
        counts
          .map(({ agentId: agent, at, class: kind, rule, count }) => {
            const { type, outcome, allowed, violationType } = kind;
            return `${JSON.stringify([agent, at, { type, outcome, allowed, violationType }, rule])} ${count}`;
          })
          .sort();
      const every: StepQuery = { filter: {}, fromMs: START - 1, toMs: START + 1e9, stepMs: 60_000, byRule: false };
      for (const query of [
        every,
        { ...every, byRule: true },
        { ...every, stepMs: 300_000, agentIds: [0, 1, 2, 9].map(agentId) },
        { ...every, byRule: true, agentIds: [agentId(1), agentId(2)], filter: { outcome: 'denied' } },
        { ...every, fromMs: START + 40_000, toMs: START + 80_000 },
        { ...every, agentIds: [] },
      ]) {
        expect(read(await store.countSteps(ACCOUNT, query))).toEqual(expected(query));
      }
      expect(await store.countSteps('unknown', every)).toEqual([]);
    });

    it('lead to rare events without a look at the others', async () => {
      const all: EventEnvelope[] = [];
      for (let n = 0; n < 90; n += 1) {
        const parts = { agent: n % 2, occurredAtMs: START + ((n * 37) % 90) * 11 * 60_000 };
        all.push(
          n % 8 === 0 ? other(n, 'profile.changed', parts) : n % 9 === 0 ? denied(n, parts) : envelope(n, parts),
        );
      }
      await append(...all, other(99, 'profile.changed', { agent: 5, accountId: 'account-b' }));
      for (const filter of [{ type: 'profile.changed' }, { agentId: agentId(0), type: 'profile.changed' }]) {
        const whole = scan(all, filter);
        for (const page of [
          { limit: 3, offset: 0 },
          { limit: 5, offset: 4 },
          { limit: 50, offset: 11 },
        ]) {
          const { events, total } = await rareEvents(store, ACCOUNT, filter, page);
          expect(total).toBe(whole.length);
          expect(events.map(({ leaf }) => leaf.eventId)).toEqual(whole.slice(page.offset, page.offset + page.limit));
        }
      }
      expect(await rareEvents(store, ACCOUNT, { agentId: agentId(5) }, { limit: 5, offset: 0 })).toEqual({
        events: [],
        total: 0,
      });
      expect((await rareEvents(store, 'account-b', {}, { limit: 5, offset: 0 })).events[0]?.leaf.eventId).toBe(
        eventId(99),
      );
    });

    it('knows the time of the newest checks of an agent', async () => {
      const all = [1, 2, 3, 4, 5].map((n) => (n === 4 ? other(n, 'agent.frozen') : n === 2 ? denied(n) : envelope(n)));
      await append(...all, envelope(9, { agent: 2, accountId: 'account-b' }));
      expect(await store.newestChecks(agentId(1), 3)).toEqual({ firstMs: START + 2, lastMs: START + 5 });
      expect(await store.newestChecks(agentId(1), 99)).toEqual({ firstMs: START + 1, lastMs: START + 5 });
      expect(await store.newestChecks(agentId(1), 1)).toEqual({ firstMs: START + 5, lastMs: START + 5 });
      expect(await store.newestChecks(agentId(9), 3)).toBeNull();
    });

    it('gives the windows that hold a range of leaves, newest first', async () => {
      await append(...[1, 2, 3, 4, 5, 6].map((n) => envelope(n)));
      const windows = [
        [1, 2],
        [3, 3],
        [4, 5],
        [6, 9],
      ].map(([first, last], n) => anchoredWindow(n, agentId(1), first!, last!));
      await store.saveAnchors(windows, { topic: 'anchors', partition: 0, next: 4 });
      const ranges = async (first: number, last: number, limit = 9): Promise<number[][]> =>
        (await store.windowsOf(agentId(1), first, last, limit)).map((one) => [one.firstSequence, one.lastSequence]);
      // Leaves 7 to 9 of the last window are not stored yet.
      expect(await ranges(1, 9)).toEqual([
        [4, 5],
        [3, 3],
        [1, 2],
      ]);
      expect(await ranges(2, 4)).toEqual([
        [4, 5],
        [3, 3],
        [1, 2],
      ]);
      expect(await ranges(1, 9, 2)).toEqual([
        [4, 5],
        [3, 3],
      ]);
      expect(await ranges(3, 3)).toEqual([[3, 3]]);
      const runs = [
        { first: 1, last: 2 },
        { first: 3, last: 3 },
        { first: 4, last: 5 },
        { first: 6, last: 9 },
      ];
      expect(await store.continuity(agentId(1), 1, 6)).toEqual({ stored: 6, windows: runs });
      expect(await store.continuity(agentId(1), 2, 3)).toEqual({ stored: 2, windows: runs.slice(0, 2) });
      expect(await store.continuity(agentId(9), 1, 6)).toEqual({ stored: 0, windows: [] });
      await append(envelope(20, { agent: 2, accountId: 'account-b' }));
      expect(await store.agentStates([agentId(1), agentId(9)])).toEqual([
        { agentId: agentId(1), lastSequence: 6, lastEventMs: START + 6, anchoredThrough: 6 },
      ]);
      expect(await store.agentStates([agentId(2)])).toMatchObject([{ lastSequence: 1, anchoredThrough: 0 }]);
      const [newest] = await store.windowsOf(agentId(1), 5, 5, 1);
      expect(newest).toMatchObject({ txSignature: 'signature 2', windowStart: windows[2]!.windowStart });
      expect(await store.windowsOf(agentId(9), 1, 9, 9)).toEqual([]);
      const { merkleRoot, txSignature } = windows[2]!;
      const third = { agentId: agentId(1), firstSequence: 4, lastSequence: 5, merkleRoot, txSignature };
      const both = [agentId(1), agentId(2)];
      expect(await store.windowsNamed({ merkleRoot }, both, 9)).toMatchObject([third]);
      expect(await store.windowsNamed({ txSignature }, both, 9)).toMatchObject([third]);
      expect(await store.windowsNamed({ txSignature }, [agentId(2)], 9)).toEqual([]);
      expect(await store.windowsNamed({ txSignature: 'none' }, both, 9)).toEqual([]);
      // Some of its leaves are not stored yet.
      expect(await store.windowsNamed({ merkleRoot: windows[3]!.merkleRoot }, both, 9)).toEqual([]);
    });
  });
}
