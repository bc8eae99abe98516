import { countedViolations } from '../violations.js';
import { MOST, START, DAY_MS, tripOf } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';

/** Spending and rates, and the usage of an agent. */
export function limitsContract(bench: CountersBench): void {
  const { judge, outcomeOf } = bench;

  describe('spending', () => {
    it('allows up to the limit exactly and nothing above it, for action, day and month', async () => {
      for (const window of ['day', 'month'] as const) {
        const trip = { agentId: window, spending: { limitMicros: 100, window } };
        expect(await outcomeOf({ ...trip, costMicros: 99 })).toBe('allowed');
        expect(await outcomeOf({ ...trip, costMicros: 2 })).toBe('denied');
        expect(await outcomeOf({ ...trip, costMicros: 1 })).toBe('allowed');
        expect(await outcomeOf({ ...trip, costMicros: 1 })).toBe('denied');
        expect(await outcomeOf({ ...trip, costMicros: 0 })).toBe('allowed');
      }
      const trip = { spending: { limitMicros: 100, window: 'action' } } as const;
      for (let n = 0; n < 3; n++) expect(await outcomeOf({ ...trip, costMicros: 100 })).toBe('allowed');
      expect(await outcomeOf({ ...trip, costMicros: 101 })).toBe('denied');
    });

    it('denies no free action, even after a limit was lowered below what was counted', async () => {
      for (const window of ['day', 'month'] as const) {
        await judge({ agentId: window, costMicros: 90 });
        const lowered = { agentId: window, spending: { limitMicros: 50, window } };
        expect(await outcomeOf({ ...lowered, costMicros: 1 })).toBe('denied');
        expect(await outcomeOf({ ...lowered, costMicros: 0 })).toBe('allowed');
        const usage = await bench.counters.agentUsage(window, null);
        const free = { spending: lowered.spending, rate: null, costMicros: 0 };
        expect(countedViolations(usage, free).spending).toBeNull();
      }
    });

    it('reports limit and counter and never the cost', async () => {
      const spending = { limitMicros: 100_500_000, window: 'day' } as const;
      await judge({ costMicros: 90_000_000, spending });
      const { violation } = await judge({ costMicros: 20_000_017, spending });
      expect(violation).toMatchObject({
        violation_type: 'spending_limit_exceeded',
        severity: 'P2',
        rule: 'spending_limit:100.5',
        detail: 'limit 100.5 USD per day, 90 USD already counted',
      });
      expect(JSON.stringify(violation)).not.toContain('20');
    });

    it('begins a new day and a new month at midnight UTC', async () => {
      const day = { spending: { limitMicros: 10, window: 'day' } } as const;
      const month = { spending: { limitMicros: 10, window: 'month' } } as const;
      bench.nowMs = Date.UTC(2026, 10, 29, 23, 59, 59, 999);
      await judge({ costMicros: 10 });
      expect(await outcomeOf({ ...day, costMicros: 1 })).toBe('denied');
      bench.nowMs++;
      expect(await outcomeOf({ ...day, costMicros: 1 })).toBe('allowed');
      expect(await outcomeOf({ ...month, costMicros: 1 })).toBe('denied');
      bench.nowMs = Date.UTC(2026, 11, 1);
      expect(await outcomeOf({ ...month, costMicros: 10 })).toBe('allowed');
    });

    it('counts while no limit is set, and each agent by itself', async () => {
      await judge({ costMicros: 60 });
      const spending = { limitMicros: 100, window: 'month' } as const;
      expect(await outcomeOf({ costMicros: 41, spending })).toBe('denied');
      expect(await outcomeOf({ costMicros: 41, spending, agentId: 'other' })).toBe('allowed');
    });

    it('regains credited spending, in the window that counted it, each sum once and none below zero', async () => {
      const spending = { limitMicros: 100, window: 'day' } as const;
      const sums = { day: '2026-11-21', dayMicros: 80, month: '2026-11', monthMicros: 80 };
      await bench.counters.giveBack('agent', sums);
      await judge({ costMicros: 80, spending });
      expect(await outcomeOf({ costMicros: 80, spending })).toBe('denied');
      for (let n = 0; n < 2; n++) await bench.counters.giveBack('agent', sums);
      await bench.counters.giveBack('agent', { ...sums, dayMicros: 40, monthMicros: 40 });
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 0, monthMicros: 0 });
      const another = await bench.another();
      expect(await another.check(tripOf({ costMicros: 80, spending }))).toMatchObject({
        judgement: { outcome: 'allowed' },
      });
      expect(await outcomeOf({ costMicros: 21, spending })).toBe('denied');
      expect(await outcomeOf({ costMicros: 21, spending: { limitMicros: 100, window: 'month' } })).toBe('denied');
      await bench.counters.giveBack('agent', { ...sums, dayMicros: 500, monthMicros: 120 });
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 0, monthMicros: 40 });
    });

    it('regains nothing of a day or a month that is over', async () => {
      await judge({ costMicros: 50 });
      await bench.counters.giveBack('agent', { day: '2026-11-21', dayMicros: 50, month: '2026-11', monthMicros: 50 });
      bench.nowMs += DAY_MS;
      await judge({ costMicros: 80 });
      await bench.counters.giveBack('agent', { day: '2026-11-21', dayMicros: 50, month: '2026-11', monthMicros: 60 });
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 80, monthMicros: 70 });
      const today = { day: '2026-11-22', month: '2026-11' };
      await bench.counters.giveBack('agent', { ...today, dayMicros: 20, monthMicros: 80 });
      await bench.counters.giveBack('agent', { day: '2026-11-21', dayMicros: 50, month: '2026-11', monthMicros: 60 });
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 60, monthMicros: 50 });
      bench.nowMs = Date.UTC(2026, 11, 1);
      await judge({ costMicros: 7 });
      await bench.counters.giveBack('agent', { day: '2026-11-22', dayMicros: 80, month: '2026-11', monthMicros: 130 });
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 7, monthMicros: 7 });
    });

    it('saturates at 2^53 − 1 and stays exact up to there', async () => {
      const spending = { limitMicros: MOST, window: 'day' } as const;
      expect(await outcomeOf({ costMicros: MOST - 1, spending })).toBe('allowed');
      expect(await outcomeOf({ costMicros: 2, spending })).toBe('denied');
      expect(await outcomeOf({ costMicros: 1, spending })).toBe('allowed');
      for (let n = 0; n < 3; n++) await judge({ costMicros: MOST });
      expect(await outcomeOf({ costMicros: 1, spending })).toBe('denied');
      expect(await outcomeOf({ costMicros: 0, spending })).toBe('allowed');
    });
  });

  describe('the usage of an agent', () => {
    const rate = { max: 3, per_seconds: 10 };
    const spending = { limitMicros: 100, window: 'day' } as const;

    it('is read without counting anything, and denies exactly what a check then denies', async () => {
      expect(await bench.counters.agentUsage('agent', rate)).toEqual({
        nowMs: START,
        frozen: false,
        dayMicros: 0,
        monthMicros: 0,
        rateCount: 0,
        rateBlockedBy: null,
      });
      for (const at of [0, 4000, 9999]) {
        bench.nowMs = START + at;
        await judge({ rate, spending, costMicros: 30 });
      }
      for (let n = 0; n < 3; n++) {
        const usage = await bench.counters.agentUsage('agent', rate);
        expect(usage).toMatchObject({ dayMicros: 90, monthMicros: 90, rateCount: 3, rateBlockedBy: START });
        const found = countedViolations(usage, { rate, spending, costMicros: 11 });
        expect(found.spending).toEqual((await judge({ rate, spending, costMicros: 11 })).violation);
        expect(found.rate).toEqual((await judge({ rate, spending, costMicros: 0 })).violation);
        expect(countedViolations(usage, { rate: null, spending, costMicros: 10 }).spending).toBeNull();
      }
      bench.nowMs = START + 10_000;
      expect(await bench.counters.agentUsage('agent', rate)).toMatchObject({ rateCount: 2, rateBlockedBy: null });
      expect(await bench.counters.agentUsage('agent', { max: 3, per_seconds: 60 })).toMatchObject({ rateCount: 3 });
      expect(await bench.counters.agentUsage('agent', { max: 2, per_seconds: 10 })).toMatchObject({
        rateCount: 2,
        rateBlockedBy: START + 4000,
      });
      expect(await bench.counters.agentUsage('agent', { max: 0, per_seconds: 10 })).toMatchObject({
        rateBlockedBy: null,
      });
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ rateCount: 0, rateBlockedBy: null });
    });

    it('contains the freeze flag, and restarts with the day and the month', async () => {
      await judge({ spending, costMicros: 30 });
      await bench.counters.freeze('agent', START + 1);
      expect((await bench.counters.agentUsage('agent', null)).frozen).toBe(true);
      bench.nowMs = START + 24 * 3_600_000;
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 0, monthMicros: 30 });
      await bench.counters.unfreeze('agent');
      expect((await bench.counters.agentUsage('agent', null)).frozen).toBe(false);
      bench.nowMs = START + 40 * 24 * 3_600_000;
      expect(await bench.counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 0, monthMicros: 0 });
    });
  });

  describe('rate', () => {
    const rate = { max: 3, per_seconds: 10 };

    it('is an exact sliding window', async () => {
      for (const at of [0, 4000, 9999]) {
        bench.nowMs = START + at;
        expect(await outcomeOf({ rate })).toBe('allowed');
      }
      expect(await outcomeOf({ rate })).toBe('denied');
      bench.nowMs = START + 10_000;
      expect(await outcomeOf({ rate })).toBe('allowed');
      bench.nowMs = START + 13_999;
      expect(await outcomeOf({ rate })).toBe('denied');
      bench.nowMs = START + 14_000;
      expect(await outcomeOf({ rate })).toBe('allowed');
    });

    it('reports limit, count and the time at which the next check fits', async () => {
      for (const at of [0, 1000, 2000]) {
        bench.nowMs = START + at;
        await judge({ rate });
      }
      const { violation } = await judge({ rate });
      expect(violation).toMatchObject({
        violation_type: 'rate_limit_exceeded',
        severity: 'P3',
        rule: 'rate_limit:3/10s',
        detail: 'limit 3 per 10 s, 3 already counted, the next check fits at 2026-11-21T12:00:10.000Z',
      });
      bench.nowMs = START + 9999;
      expect(await outcomeOf({ rate })).toBe('denied');
      bench.nowMs = START + 10_000;
      expect(await outcomeOf({ rate })).toBe('allowed');
    });

    it('reports the time at which a check fits after the limit was lowered, and that none fits a limit of 0', async () => {
      for (const at of [0, 1000, 2000]) {
        bench.nowMs = START + at;
        await judge({ rate });
      }
      const lowered = await judge({ rate: { max: 1, per_seconds: 10 } });
      expect(lowered.violation?.detail).toContain('12:00:12.000Z');
      expect((await judge({ rate: { max: 0, per_seconds: 10 } })).violation?.detail).toContain('no check fits');
    });

    it('does not count what spending denied', async () => {
      const spending = { limitMicros: 1, window: 'action' } as const;
      for (let n = 0; n < 5; n++) await judge({ rate, spending, costMicros: 2 });
      for (let n = 0; n < 3; n++) expect(await outcomeOf({ rate })).toBe('allowed');
    });

    it('does not spend what rate denied', async () => {
      await judge({ rate: { max: 0, per_seconds: 1 }, costMicros: 50 });
      expect(await outcomeOf({ costMicros: 50, spending: { limitMicros: 50, window: 'day' } })).toBe('allowed');
    });
  });
}
