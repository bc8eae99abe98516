/** State of one cadence: when its window is cut, and the label of the cut. */
export interface CadenceClock {
  readonly cadenceSeconds: number;
  /** When the first leaf of the open window came, ms; `null`: it has none. */
  readonly openedAtMs: number | null;
  /** End of the last label, ms; `null` before the first cut. */
  readonly lastEndMs: number | null;
  /** How many windows were cut: the number of the last one. */
  readonly cuts: number;
}

export interface WindowLabel {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The label of a cut made now, or `null` where none is due. Labels are multiples of the duration since the epoch. A cut
 * is due when a duration has ended since the first leaf of the open window came: after a pause the last one that ended
 * names the cut. Where that leaf came later than a clock may say that stands here, the clock was set back: the cut is due
 * at once. A window without leaves is never cut. Whether another window has the label already, the caller must look up.
 */
export function dueLabel(
  { cadenceSeconds, openedAtMs }: Pick<CadenceClock, 'cadenceSeconds' | 'openedAtMs'>,
  nowMs: number,
): WindowLabel | null {
  if (openedAtMs === null) return null;
  const duration = cadenceSeconds * 1000;
  const endMs = Math.floor(nowMs / duration) * duration;
  if (openedAtMs >= endMs && openedAtMs <= nowMs + duration) return null;
  return { startMs: endMs - duration, endMs };
}

/** ms until the next whole second: every cadence is a number of whole seconds. */
export function untilNextSecond(nowMs: number): number {
  return 1000 - (((nowMs % 1000) + 1000) % 1000);
}
