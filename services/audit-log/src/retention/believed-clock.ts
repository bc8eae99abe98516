const DAY_MS = 86_400_000;
/** A clock may gain so much between two looks before it is doubted. */
export const GAIN_MS = DAY_MS;
/** A doubted clock is believed after it has advanced evenly for this time. */
export const PROBATION_MS = 7 * DAY_MS;
/** A doubted clock that steps by more than this is doubted again. */
const STEP_MS = 3_600_000;

/** Facts about the time. `null`: nothing yet. */
export interface ClockBelief {
  /** The time that is acted on, at the last look. */
  readonly believedMs: number | null;
  /** A clock that ran ahead: what it showed at the last look, and for how long it has run on since. */
  readonly doubted: { readonly shownMs: number; readonly ranMs: number } | null;
}

export const NOTHING_BELIEVED: ClockBelief = { believedMs: null, doubted: null };

/**
 * The belief after a look at the clock. What content was kept for years must not go because a clock jumped: a time that
 * is further ahead than the process has run is acted on only after the clock has run on evenly for {@link PROBATION_MS}.
 * A clock that was set back is believed at once: that keeps content longer.
 * @param shownMs what the clock shows
 * @param ranMs how long this process has certainly run since the last look, by a monotonic clock
 */
export function look(belief: ClockBelief, shownMs: number, ranMs: number): ClockBelief {
  const { believedMs, doubted } = belief;
  if (believedMs !== null && shownMs <= believedMs + ranMs + GAIN_MS) return { believedMs: shownMs, doubted: null };
  const even = doubted !== null && Math.abs(shownMs - doubted.shownMs - ranMs) <= STEP_MS;
  const ran = even ? doubted.ranMs + ranMs : 0;
  if (ran >= PROBATION_MS) return { believedMs: shownMs, doubted: null };
  return { believedMs, doubted: { shownMs, ranMs: ran } };
}
