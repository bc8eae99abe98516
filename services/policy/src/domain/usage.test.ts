import { countForAccount, countForAgent, sumOfPartitions } from './usage.js';
import type { Counted } from './usage.js';

const T = Date.UTC(2026, 1, 28, 23, 59, 59);
const HOUR = 3_600_000;

function event(offset: number, occurredAtMs: number, over: Partial<Counted> = {}): Counted {
  return { partition: 0, offset, occurredAtMs, countsAction: true, countsRate: true, costMicros: 0, ...over };
}

describe('totals of an account', () => {
  it('counts actions in the month and ever, and stands after the last event', () => {
    const totals = countForAccount(null, 'a', [event(3, T), event(4, T, { countsAction: false }), event(9, T)]);
    expect(totals).toEqual({
      accountId: 'a',
      period: '2026-02',
      actionsInPeriod: 2,
      actionsEver: 2,
      offsets: { 0: 10 },
    });
  });

  it('begins again each calendar month, and keeps the other partitions', () => {
    const before = countForAccount(null, 'a', [event(0, T)]);
    const after = countForAccount(before, 'a', [event(0, T + HOUR, { partition: 3 })]);
    expect(after).toMatchObject({ period: '2026-03', actionsInPeriod: 1, actionsEver: 2, offsets: { 0: 1, 3: 1 } });
  });

  it('is the same whether partitions are counted together or apart', () => {
    const early = [event(0, T), event(5, T)];
    const late = [event(2, T, { partition: 7 }), event(3, T + HOUR, { partition: 7 })];
    const apart = sumOfPartitions('a', [countForAccount(null, 'a', late), countForAccount(null, 'a', early)]);
    expect(apart).toEqual(countForAccount(countForAccount(null, 'a', early), 'a', late));
    expect(apart).toMatchObject({ period: '2026-03', actionsInPeriod: 1, actionsEver: 4, offsets: { 0: 6, 7: 4 } });
  });

  it('adds a late event of last month to the sum of all times alone', () => {
    const totals = countForAccount(null, 'a', [event(0, T + HOUR), event(1, T)]);
    expect(totals).toMatchObject({ period: '2026-03', actionsInPeriod: 1, actionsEver: 2 });
  });
});

describe('totals of an agent', () => {
  it('sums micro-dollars by day and month (UTC)', () => {
    const events = [event(0, T, { costMicros: 5 }), event(1, T + 2000, { costMicros: 7 })];
    expect(countForAgent(null, 'g', events, null)).toEqual({
      agentId: 'g',
      partition: 0,
      offset: 2,
      day: '2026-03-01',
      dayMicros: 7,
      month: '2026-03',
      monthMicros: 7,
      rateTimes: [],
    });
    const sameMonth = [event(0, T - 24 * HOUR, { costMicros: 5 }), event(1, T, { costMicros: 7 })];
    expect(countForAgent(null, 'g', sameMonth, null)).toMatchObject({ dayMicros: 7, monthMicros: 12 });
  });

  it('saturates instead of losing exactness', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const events = [event(0, T, { costMicros: most }), event(1, T, { costMicros: most })];
    expect(countForAgent(null, 'g', events, null)).toMatchObject({ dayMicros: most, monthMicros: most });
  });

  it('keeps the times inside the rate window alone, oldest first', () => {
    const rate = { max: 10, per_seconds: 60 };
    const first = countForAgent(null, 'g', [event(0, T), event(1, T + 30_000)], rate);
    expect(first.rateTimes).toEqual([T, T + 30_000]);
    const denied = event(2, T + 60_000, { countsRate: false });
    expect(countForAgent(first, 'g', [denied], rate).rateTimes).toEqual([T + 30_000]);
    const late = [event(2, T + 40_000), event(3, T + 35_000)];
    expect(countForAgent(first, 'g', late, rate).rateTimes).toEqual([T, T + 30_000, T + 35_000, T + 40_000]);
    expect(countForAgent(first, 'g', [denied], null).rateTimes).toEqual([]);
    const muchLater = event(5, T + 9 * HOUR, { countsRate: false });
    expect(countForAgent(first, 'g', [muchLater], rate).rateTimes).toEqual([]);
  });
});

describe('what is given back of an agent', () => {
  const spent = (offset: number, atMs: number, costMicros: number) => event(offset, atMs, { costMicros });
  const back = (offset: number, atMs: number, ofMs: number, costMicros: number) =>
    event(offset, atMs, { countsAction: false, countsRate: false, givesBack: { costMicros, occurredAtMs: ofMs } });

  it('is kept beside the sum of the window that counted it, and never more than the sum', () => {
    const before = countForAgent(
      null,
      'a',
      [spent(0, T - 5, 80), spent(1, T - 4, 30), back(2, T - 3, T - 5, 80)],
      null,
    );
    expect(before).toMatchObject({
      dayMicros: 110,
      dayBackMicros: 80,
      monthMicros: 110,
      monthBackMicros: 80,
      offset: 3,
    });
    const after = countForAgent(before, 'a', [back(3, T, T - 4, 500)], null);
    expect(after).toMatchObject({ dayMicros: 110, dayBackMicros: 110, monthBackMicros: 110, offset: 4 });
  });

  it('is nothing of a day or a month that is over, and goes with them', () => {
    const day = 24 * HOUR;
    const before = countForAgent(null, 'a', [spent(0, T - day, 80), spent(1, T, 9), back(2, T, T - day, 80)], null);
    expect(before).toMatchObject({ dayMicros: 9, monthMicros: 89, monthBackMicros: 80 });
    expect(before).not.toHaveProperty('dayBackMicros');
    const after = countForAgent(before, 'a', [back(3, T + HOUR, T, 9)], null);
    expect(after).toMatchObject({ dayMicros: 0, monthMicros: 0 });
    expect(after).not.toHaveProperty('monthBackMicros');
  });
});
