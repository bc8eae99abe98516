/** Anchoring needs some seconds after the end of a window. */
const SOON_MS = 1000;
const SOON_FOR_MS = 30_000;
const LATE_MS = 15_000;
/** The clock of the browser may be behind the server's. */
const MOST_MS = 60_000;

/**
 * Time until it is useful to ask again whether an event is anchored: until its window has ended; then every second, and later
 * every 15 s.
 * @param dueBy end of the event's window, ISO 8601
 * @param nowMs ms since 1970
 * @returns ms
 */
export function anchoringWait(dueBy: string, nowMs: number): number {
  const left = Date.parse(dueBy) - nowMs;
  if (left > 0) return Math.min(Math.max(left, SOON_MS), MOST_MS);
  return left > -SOON_FOR_MS ? SOON_MS : LATE_MS;
}
