import type { CountedTime } from './place-page.js';

export const HOUR_MS = 3_600_000;

/** Before and after every instant that a leaf can name. */
export const EARLIEST = -8_640_000_000_000_000;
export const LATEST = 8_640_000_000_000_001;

export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Hours since the epoch, `first <= hour < end`. */
export interface WholeHours {
  readonly first: number;
  readonly end: number;
}

/**
 * Cuts a range into the hours that lie whole in it, maybe none, and at most two broken ones at its ends. An end that is {@link EARLIEST} or {@link LATEST} breaks none.
 */
export function wholeHours({ fromMs, toMs }: TimeRange): {
  readonly whole: WholeHours;
  readonly broken: readonly TimeRange[];
} {
  const first = fromMs <= EARLIEST ? Math.floor(fromMs / HOUR_MS) : Math.ceil(fromMs / HOUR_MS);
  const end = toMs >= LATEST ? Math.ceil(toMs / HOUR_MS) : Math.floor(toMs / HOUR_MS);
  if (first >= end) return { whole: { first, end: first }, broken: [{ fromMs, toMs }] };
  const broken: TimeRange[] = [];
  if (toMs > end * HOUR_MS) broken.push({ fromMs: end * HOUR_MS, toMs });
  if (fromMs < first * HOUR_MS) broken.push({ fromMs, toMs: first * HOUR_MS });
  return { whole: { first, end }, broken };
}

/**
 * The times of a range, newest first.
 * @param hours counts of `hoursEach` hours from `hour` on, of hours that lie in `whole`, in any order
 * @param broken what {@link wholeHours} left, counted
 */
export function countedHours(
  hours: readonly { readonly hour: number; readonly count: number }[],
  whole: WholeHours,
  broken: readonly CountedTime[],
  hoursEach = 1,
): readonly CountedTime[] {
  const times = hours.map(({ hour, count }) => ({
    fromMs: Math.max(hour, whole.first) * HOUR_MS,
    toMs: Math.min(hour + hoursEach, whole.end) * HOUR_MS,
    count,
  }));
  return [...broken, ...times].sort((a, b) => b.fromMs - a.fromMs);
}
