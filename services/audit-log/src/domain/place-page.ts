/** How many events have `fromMs <= occurredAt < toMs`. */
export interface CountedTime {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/** A page of a long list: where it lies in time, and how many events of that time, newest first, come before it. */
export interface PlacedPage {
  readonly total: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly offset: number;
  /** 0 for a page past the end. */
  readonly limit: number;
}

/**
 * Finds a page by counts alone, so that only the events near it are read.
 * @param times newest first, none overlapping another
 */
export function placePage(
  times: Iterable<CountedTime>,
  page: { readonly limit: number; readonly offset: number },
): PlacedPage {
  let total = 0;
  let before = 0;
  let fromMs = 0;
  let toMs: number | null = null;
  for (const time of times) {
    if (time.count === 0) continue;
    const end = total + time.count;
    if (end > page.offset && total < page.offset + page.limit) {
      if (toMs === null) {
        toMs = time.toMs;
        before = total;
      }
      fromMs = time.fromMs;
    }
    total = end;
  }
  if (toMs === null) return { total, fromMs: 0, toMs: 0, offset: 0, limit: 0 };
  return { total, fromMs, toMs, offset: page.offset - before, limit: Math.min(page.limit, total - page.offset) };
}
