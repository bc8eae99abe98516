import fc from 'fast-check';
import { addUp, Sums } from './usage-sums.js';

const days = fc.constantFrom('2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02');
const events = fc.array(fc.record({ day: days, actions: fc.integer({ min: 0, max: 1 }), micros: fc.nat(1000) }));

function sumsOf(all: readonly { day: string; actions: number; micros: number }[]): Sums {
  const sums = new Sums();
  for (const { day, actions, micros } of all) sums.add(day, actions, micros);
  return sums;
}

describe('sums', () => {
  it('are those of the newest day and month', () => {
    fc.assert(
      fc.property(events, (all) => {
        const newest = all.reduce((day, event) => (event.day > day ? event.day : day), '');
        const ofDay = all.filter(({ day }) => day === newest);
        const ofMonth = all.filter(({ day }) => day.slice(0, 7) === newest.slice(0, 7));
        const count = (some: typeof all, of: 'actions' | 'micros') => some.reduce((sum, event) => sum + event[of], 0);
        expect(sumsOf(all).totals()).toEqual({
          day: newest,
          dayMicros: count(ofDay, 'micros'),
          period: newest.slice(0, 7),
          inPeriod: count(ofMonth, 'actions') + count(ofMonth, 'micros'),
          ever: count(all, 'actions'),
          dayBack: 0,
          periodBack: 0,
        });
      }),
    );
  });

  it('add up to the same, however they are divided', () => {
    fc.assert(
      fc.property(events, fc.nat(10), (all, cut) => {
        const parts = [sumsOf(all.slice(0, cut)).totals(), sumsOf(all.slice(cut)).totals()];
        expect(addUp(parts)).toEqual(sumsOf(all).totals());
        expect(addUp(parts.reverse())).toEqual(sumsOf(all).totals());
      }),
    );
  });

  it('saturate where numbers are no longer exact', () => {
    const sums = new Sums();
    for (let i = 0; i < 3; i += 1) sums.add('2026-11-01', 1, Number.MAX_SAFE_INTEGER - 1);
    expect(sums.totals()).toMatchObject({
      dayMicros: Number.MAX_SAFE_INTEGER,
      inPeriod: Number.MAX_SAFE_INTEGER,
      ever: 3,
    });
  });

  it('keep what was given back of the newest day and month, never more than was spent, and let it go with them', () => {
    const sums = new Sums();
    sums.add('2026-11-01', 0, 80);
    sums.add('2026-11-02', 0, 30);
    sums.giveBack('2026-11-01', 80);
    expect(sums.totals()).toMatchObject({ dayMicros: 30, dayBack: 0, inPeriod: 110, periodBack: 80 });
    sums.giveBack('2026-11-02', 500);
    expect(sums.totals()).toMatchObject({ dayBack: 30, periodBack: 110 });
    sums.giveBack('2026-10-31', 5);
    sums.add('2026-12-01', 0, 1);
    expect(sums.totals()).toMatchObject({ dayMicros: 1, dayBack: 0, inPeriod: 1, periodBack: 0 });
  });
});
