import { CLAIM_MS } from '../port.js';
import type { Counters } from '../port.js';
import {
  agentSnapshot,
  answerOf,
  deniedOf,
  DAY_MS,
  EMPTY,
  eventOf,
  keyed,
  START,
  tripOf,
} from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';

/** Counts that are rebuilt from snapshots and the log. */
export function rebuildingContract(bench: CountersBench): void {
  const { outcomeOf, kindOf, actions } = bench;

  describe('rebuilding', () => {
    let fresh: Counters;
    let cleanupFresh: () => Promise<void>;
    beforeEach(async () => {
      ({ counters: fresh, cleanup: cleanupFresh } = await bench.open({ clock: () => bench.nowMs }));
      bench.counters = fresh;
    });
    afterEach(() => cleanupFresh());

    it('refuses checks with the reason until it serves, and again when a rebuild begins', async () => {
      expect(fresh.unavailable()).not.toBeNull();
      expect(await kindOf()).toBe('unavailable');
      await expect(fresh.usage('account')).rejects.toMatchObject({ name: 'CountersUnavailable' });
      await expect(fresh.isFrozen('agent')).rejects.toMatchObject({ name: 'CountersUnavailable' });
      await fresh.serve();
      expect(fresh.unavailable()).toBeNull();
      expect(await kindOf()).toBe('judged');
      await fresh.restore(EMPTY);
      expect(fresh.unavailable()).not.toBeNull();
      expect(await kindOf()).toBe('unavailable');
      await fresh.serve();
      expect(await actions()).toBe(1);
    });

    it('starts from zero: forgets totals and claims, keeps versions, freezes and unfreezes', async () => {
      await fresh.replay([
        eventOf({ eventId: '1', costMicros: 9, countsRate: true }),
        eventOf({
          eventId: '2',
          idempotency: { keySha256: 'k', bodySha256: 'body', profileVersion: 1, answer: answerOf('2') },
        }),
      ]);
      await fresh.raise('agent', 'other', 4);
      await fresh.freeze('cold', START);
      await fresh.unfreeze('thawed');
      expect(await fresh.beginRebuild()).not.toBeNull();
      await fresh.freeze('thawed', START);
      await fresh.replay([eventOf({ eventId: '1', costMicros: 4 })]);
      await fresh.serve();
      expect(await actions()).toBe(1);
      expect(await fresh.version('agent', 'other')).toBe(4);
      expect([await fresh.isFrozen('cold'), await fresh.isFrozen('thawed')]).toEqual([true, false]);
      expect(await kindOf(keyed('k', 'other body'))).toBe('judged');
      const limits = { spending: { limitMicros: 4, window: 'day' }, rate: { max: 1, per_seconds: 60 } } as const;
      expect(await outcomeOf(limits)).toBe('allowed');
      expect(await outcomeOf({ ...limits, rate: null, costMicros: 1 })).toBe('denied');
      expect(await fresh.beginRebuild()).toBeNull();
    });

    it('takes totals, rate, flags, versions and claims from a snapshot', async () => {
      await fresh.restore({
        accounts: [{ accountId: 'account', period: '2026-11', actionsInPeriod: 7, actionsEver: 40 }],
        agents: [
          agentSnapshot({ dayMicros: 8, monthMicros: 60, rateTimes: [START - 9000, START - 1000] }),
          agentSnapshot({ agentId: 'cold', frozen: true }),
        ],
        claims: [
          {
            accountId: 'account',
            keySha256: 'k',
            bodySha256: 'body',
            profileVersion: 1,
            occurredAtMs: START - 5,
            answer: answerOf('e1'),
          },
          {
            accountId: 'account',
            keySha256: 'old',
            bodySha256: 'b',
            profileVersion: 1,
            occurredAtMs: START - CLAIM_MS,
            answer: answerOf('e0'),
          },
        ],
        versions: [{ kind: 'agent', id: 'late', version: 3 }],
      });
      await fresh.serve();
      expect(await fresh.usage('account')).toEqual({ actionsInPeriod: 7, actionsEver: 40, period: '2026-11' });
      expect(await outcomeOf({ costMicros: 3, spending: { limitMicros: 10, window: 'day' } })).toBe('denied');
      expect(await outcomeOf({ costMicros: 3, spending: { limitMicros: 62, window: 'month' } })).toBe('denied');
      const rate = { max: 2, per_seconds: 10 };
      expect(await outcomeOf({ rate })).toBe('denied');
      bench.nowMs += 1000;
      expect(await outcomeOf({ rate })).toBe('allowed');
      expect(await outcomeOf({ agentId: 'cold' })).toBe('frozen');
      expect(await kindOf({ agentId: 'late' })).toBe('stale');
      expect(await bench.counters.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
      expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
      expect(await kindOf(keyed('old'))).toBe('judged');
    });

    it('restores credits from a snapshot, forgets them with the totals, and raises them from there', async () => {
      const sums = { day: '2026-11-21', dayMicros: 90, month: '2026-11', monthMicros: 90 };
      await expect(fresh.giveBack('agent', sums)).rejects.toMatchObject({ name: 'CountersUnavailable' });
      const totals = { dayMicros: 100, monthMicros: 300 };
      await fresh.restore({
        ...EMPTY,
        agents: [agentSnapshot({ ...totals, dayBackMicros: 95, monthBackMicros: 120 })],
      });
      expect(await fresh.beginRebuild()).not.toBeNull();
      await fresh.restore({
        ...EMPTY,
        agents: [agentSnapshot({ ...totals, dayBackMicros: 80, monthBackMicros: 100 })],
      });
      await fresh.replay([eventOf({ costMicros: 5 })]);
      await fresh.serve();
      expect(await fresh.agentUsage('agent', null)).toMatchObject({ dayMicros: 25, monthMicros: 205 });
      await fresh.giveBack('agent', sums);
      expect(await fresh.agentUsage('agent', null)).toMatchObject({ dayMicros: 15, monthMicros: 205 });
    });

    it('replaces totals, and lets versions and freezes only increase', async () => {
      await fresh.raise('agent', 'agent', 9);
      bench.nowMs = START + 50;
      await fresh.unfreeze('agent');
      await fresh.freeze('cold', START);
      for (const actionsEver of [5, 3]) {
        await fresh.restore({
          accounts: [{ accountId: 'account', period: '2026-11', actionsInPeriod: 1, actionsEver }],
          agents: [agentSnapshot({ frozen: true, unfrozenAtMs: START }), agentSnapshot({ agentId: 'cold' })],
          claims: [],
          versions: [{ kind: 'agent', id: 'agent', version: 2 }],
        });
      }
      await fresh.serve();
      expect(await fresh.version('agent', 'agent')).toBe(9);
      expect(await fresh.isFrozen('agent')).toBe(false);
      expect(await fresh.isFrozen('cold')).toBe(true);
      expect((await fresh.usage('account')).actionsEver).toBe(3);
    });

    it('counts each event of the tail once, into the windows of its own time', async () => {
      bench.nowMs = Date.UTC(2026, 11, 1, 0, 0, 5);
      const november = Date.UTC(2026, 10, 30, 23, 59, 59);
      const december = Date.UTC(2026, 11, 1, 0, 0, 1);
      const tail = [
        eventOf({ eventId: '1', occurredAtMs: november, costMicros: 100, countsRate: true }),
        eventOf({ eventId: '2', occurredAtMs: december, costMicros: 7, countsRate: true, offset: 1 }),
        eventOf({ eventId: '3', occurredAtMs: december, countsAction: false, offset: 2 }),
      ];
      await fresh.restore(EMPTY);
      await fresh.replay(tail);
      await fresh.replay(tail.slice(1));
      await fresh.serve();
      expect(await fresh.usage('account')).toEqual({ actionsInPeriod: 1, actionsEver: 2, period: '2026-12' });
      const spending = { limitMicros: 10, window: 'month' } as const;
      expect(await outcomeOf({ costMicros: 4, spending })).toBe('denied');
      expect(await outcomeOf({ costMicros: 3, spending })).toBe('allowed');
      expect(await outcomeOf({ rate: { max: 2, per_seconds: 10 } })).toBe('denied');
      expect(await outcomeOf({ rate: { max: 2, per_seconds: 5 } })).toBe('allowed');
    });

    it('keeps the windows of today when an event of yesterday comes after one of today', async () => {
      bench.nowMs = Date.UTC(2026, 11, 1, 0, 0, 5);
      await fresh.replay([
        eventOf({ eventId: '1', occurredAtMs: bench.nowMs, costMicros: 9 }),
        eventOf({ eventId: '2', occurredAtMs: bench.nowMs - 60_000, costMicros: 500 }),
        eventOf({ eventId: '3', occurredAtMs: bench.nowMs, costMicros: 1, countsAction: false }),
      ]);
      await fresh.serve();
      const [day, month] = [{ limitMicros: 20, window: 'day' } as const, { limitMicros: 20, window: 'month' } as const];
      expect(await outcomeOf({ costMicros: 11, spending: day })).toBe('denied');
      expect(await outcomeOf({ costMicros: 11, spending: month })).toBe('denied');
      expect(await outcomeOf({ costMicros: 10, spending: day })).toBe('allowed');
      expect(await outcomeOf({ costMicros: 1, spending: month })).toBe('denied');
      expect(await bench.counters.usage('account')).toMatchObject({ actionsInPeriod: 5, actionsEver: 6 });
    });

    it('freezes by the tail unless the agent was unfrozen since, and keeps its claims', async () => {
      const idempotency = { keySha256: 'k', bodySha256: 'body', profileVersion: 1, answer: deniedOf('f1') };
      await fresh.restore({ ...EMPTY, agents: [agentSnapshot({ agentId: 'thawed', unfrozenAtMs: START - 10 })] });
      await fresh.replay([
        eventOf({ eventId: 'f1', freezesAgent: true, occurredAtMs: START - 20, idempotency }),
        eventOf({ eventId: 'f2', freezesAgent: true, occurredAtMs: START - 20, agentId: 'thawed' }),
        eventOf({
          eventId: 'f3',
          agentId: 'thawed',
          occurredAtMs: START - 5,
          idempotency: { ...idempotency, keySha256: 'refused', answer: answerOf('f3', 403) },
        }),
      ]);
      await fresh.serve();
      expect(await fresh.isFrozen('agent')).toBe(true);
      expect(await fresh.isFrozen('thawed')).toBe(false);
      expect(await kindOf(keyed('k'))).toBe('answered');
      expect(await kindOf(keyed('refused', 'other body'))).toBe('judged');
      bench.nowMs = START - 20 + DAY_MS;
      expect(await kindOf(keyed('k', 'other body'))).toBe('judged');
    });
  });
}
