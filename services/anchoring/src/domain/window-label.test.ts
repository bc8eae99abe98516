import fc from 'fast-check';
import { dueLabel, untilNextSecond } from './window-label.js';

const T = Date.parse('2026-03-01T10:05:00.000Z');
const HOUR = 3_600_000;
const hourly = { cadenceSeconds: 3600, openedAtMs: T };

describe('dueLabel', () => {
  it('names the hour in which the first leaf came, once it is over', () => {
    expect(dueLabel(hourly, T + 54 * 60_000)).toBeNull();
    expect(dueLabel(hourly, Date.parse('2026-03-01T11:00:00.000Z'))).toEqual({
      startMs: Date.parse('2026-03-01T10:00:00.000Z'),
      endMs: Date.parse('2026-03-01T11:00:00.000Z'),
    });
  });

  it('does not name an hour that was over before the first leaf came', () => {
    expect(dueLabel(hourly, T + 1)).toBeNull();
  });

  it('never cuts a window without leaves', () => {
    expect(dueLabel({ ...hourly, openedAtMs: null }, T + 9 * HOUR)).toBeNull();
  });

  it('is named after a pause by the last duration that ended', () => {
    expect(dueLabel(hourly, T + 30 * HOUR)).toEqual({
      startMs: Date.parse('2026-03-02T15:00:00.000Z'),
      endMs: Date.parse('2026-03-02T16:00:00.000Z'),
    });
  });

  it('is due at once after the clock was set back by more than the duration', () => {
    expect(dueLabel({ cadenceSeconds: 1, openedAtMs: T }, T - 1000)).toBeNull();
    expect(dueLabel({ cadenceSeconds: 1, openedAtMs: T }, T - 72 * HOUR)).toEqual({
      startMs: T - 72 * HOUR - 1000,
      endMs: T - 72 * HOUR,
    });
  });

  it('gives labels that have ended and are multiples of the duration, whatever the clock does', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 7, 300, 3600),
        fc.array(fc.integer({ min: -2 * HOUR, max: 2 * HOUR }), { maxLength: 50 }),
        (cadenceSeconds, steps) => {
          let now = T;
          for (const step of steps) {
            const openedAtMs = now;
            now += step;
            const label = dueLabel({ cadenceSeconds, openedAtMs }, now);
            if (label === null) {
              expect(Math.abs(now - openedAtMs)).toBeLessThanOrEqual(cadenceSeconds * 1000);
              continue;
            }
            expect(label.endMs % (cadenceSeconds * 1000)).toBe(0);
            expect(label.endMs - label.startMs).toBe(cadenceSeconds * 1000);
            expect(label.endMs).toBeLessThanOrEqual(now);
          }
        },
      ),
    );
  });
});

describe('untilNextSecond', () => {
  it('is between 1 and 1000 ms', () => {
    expect(untilNextSecond(5_000)).toBe(1000);
    expect(untilNextSecond(5_999)).toBe(1);
    expect(untilNextSecond(-1)).toBe(1);
  });
});
