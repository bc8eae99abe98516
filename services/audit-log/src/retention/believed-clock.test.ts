import { GAIN_MS, look, NOTHING_BELIEVED, PROBATION_MS, type ClockBelief } from './believed-clock.js';

const MINUTE = 60_000;
const YEAR = 365 * 86_400_000;
const T = Date.parse('2026-03-01T00:00:00.000Z');
const believing = (believedMs: number): ClockBelief => ({ believedMs, doubted: null });

/** A look every minute, at a clock that runs as it should. */
function run(belief: ClockBelief, fromMs: number, forMs: number): ClockBelief {
  let now = belief;
  for (let at = MINUTE; at <= forMs; at += MINUTE) now = look(now, fromMs + at, MINUTE);
  return now;
}

describe('the time that retention acts on', () => {
  it('is not known before a clock has run on for its probation', () => {
    const first = look(NOTHING_BELIEVED, T, 0);
    expect(first.believedMs).toBeNull();
    const almost = run(first, T, PROBATION_MS - MINUTE);
    expect(almost.believedMs).toBeNull();
    expect(look(almost, T + PROBATION_MS, MINUTE)).toEqual(believing(T + PROBATION_MS));
  });

  it('follows a clock that runs, gains a little, or is set back', () => {
    expect(look(believing(T), T + MINUTE, MINUTE)).toEqual(believing(T + MINUTE));
    expect(look(believing(T), T + GAIN_MS, 0)).toEqual(believing(T + GAIN_MS));
    expect(look(believing(T), T - YEAR, MINUTE)).toEqual(believing(T - YEAR));
  });

  it('does not follow a clock that jumps ahead until that has run on evenly', () => {
    const jumped = look(believing(T), T + YEAR, MINUTE);
    expect(jumped.believedMs).toBe(T);
    expect(run(jumped, T + YEAR, PROBATION_MS - MINUTE).believedMs).toBe(T);
    expect(run(jumped, T + YEAR, PROBATION_MS).believedMs).toBe(T + YEAR + PROBATION_MS);
  });

  it('doubts again a clock that jumps once more, and believes one that comes back', () => {
    const almost = run(look(believing(T), T + YEAR, 0), T + YEAR, PROBATION_MS - MINUTE);
    const again = look(almost, T + 2 * YEAR, MINUTE);
    expect(again).toEqual({ believedMs: T, doubted: { shownMs: T + 2 * YEAR, ranMs: 0 } });
    expect(look(almost, T + MINUTE, MINUTE)).toEqual(believing(T + MINUTE));
  });

  it('counts as probation only what a process has seen run', () => {
    let belief = look(believing(T), T + YEAR, 0);
    // Many starts, each of which sees the clock once: nothing says that it ran between them.
    for (let n = 1; n < 1_000; n += 1) belief = look(belief, T + YEAR + n * MINUTE, 0);
    expect(belief.believedMs).toBe(T);
    expect(belief.doubted?.ranMs).toBe(0);
  });
});
