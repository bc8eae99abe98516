const DAY_MS = 86_400_000;

/** Day (`2026-11-21`) and month (`2026-11`) of a time, UTC. They compare as text. */
export interface CalendarDay {
  readonly day: string;
  readonly month: string;
}

let cachedNumber = NaN;
let cached: CalendarDay = { day: '', month: '' };

/** Returns the same object for consecutive times of one day. */
export function calendarDay(ms: number): CalendarDay {
  const number = Math.floor(ms / DAY_MS);
  if (number !== cachedNumber) {
    const day = new Date(number * DAY_MS).toISOString().slice(0, 10);
    cached = { day, month: day.slice(0, 7) };
    cachedNumber = number;
  }
  return cached;
}
