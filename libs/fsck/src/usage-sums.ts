/** Sums of events: by newest day, by newest month, and in all. */
export interface Totals {
  readonly day: string;
  readonly dayMicros: number;
  /** Month. */
  readonly period: string;
  readonly inPeriod: number;
  readonly ever: number;
  /** Parts of `dayMicros` and of `inPeriod` that were given back. */
  readonly dayBack: number;
  readonly periodBack: number;
}

const NOTHING: Totals = { day: '', dayMicros: 0, period: '', inPeriod: 0, ever: 0, dayBack: 0, periodBack: 0 };

/** Sums saturate where a double is no longer exact. */
const sum = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER);

export class Sums {
  #totals: Totals = NOTHING;

  /** @param day of the event, `2026-11-21`; earlier days and months than the newest add nothing to those */
  add(day: string, actions: number, micros: number): void {
    const period = day.slice(0, 7);
    const added = { day, dayMicros: micros, period, inPeriod: actions + micros, ever: actions };
    this.#totals = addUp([this.#totals, { ...NOTHING, ...added }]);
  }

  /** @param day on which it was spent; nothing of a day and a month that are over is given back, and never more than was spent */
  giveBack(day: string, micros: number): void {
    const { dayMicros, inPeriod, dayBack, periodBack } = this.#totals;
    const inDay = day === this.#totals.day;
    const inMonth = day.slice(0, 7) === this.#totals.period;
    this.#totals = {
      ...this.#totals,
      dayBack: inDay ? Math.min(dayBack + micros, dayMicros) : dayBack,
      periodBack: inMonth ? Math.min(periodBack + micros, inPeriod) : periodBack,
    };
  }

  totals(): Totals {
    return this.#totals;
  }
}

export function addUp(parts: readonly Totals[]): Totals {
  return parts.reduce(
    (a, b) => ({
      day: b.day > a.day ? b.day : a.day,
      dayMicros: ofNewest(a.day, a.dayMicros, b.day, b.dayMicros),
      period: b.period > a.period ? b.period : a.period,
      inPeriod: ofNewest(a.period, a.inPeriod, b.period, b.inPeriod),
      ever: sum(a.ever, b.ever),
      dayBack: ofNewest(a.day, a.dayBack, b.day, b.dayBack),
      periodBack: ofNewest(a.period, a.periodBack, b.period, b.periodBack),
    }),
    NOTHING,
  );
}

function ofNewest(whenA: string, a: number, whenB: string, b: number): number {
  if (whenA === whenB) return sum(a, b);
  return whenA > whenB ? a : b;
}
