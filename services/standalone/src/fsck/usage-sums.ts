/** What events add up to: by newest day, by newest month, and all in all. */
export interface Totals {
  readonly day: string;
  readonly dayMicros: number;
  /** Month. */
  readonly period: string;
  readonly inPeriod: number;
  readonly ever: number;
}

const NOTHING: Totals = { day: '', dayMicros: 0, period: '', inPeriod: 0, ever: 0 };

/** Sums saturate where a double is no longer exact. */
const sum = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER);

export class Sums {
  #totals: Totals = NOTHING;

  /** @param day of the event, `2026-11-21`; earlier days and months than the newest add nothing to those */
  add(day: string, actions: number, micros: number): void {
    const period = day.slice(0, 7);
    this.#totals = addUp([this.#totals, { day, dayMicros: micros, period, inPeriod: actions + micros, ever: actions }]);
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
    }),
    NOTHING,
  );
}

function ofNewest(whenA: string, a: number, whenB: string, b: number): number {
  if (whenA === whenB) return sum(a, b);
  return whenA > whenB ? a : b;
}
