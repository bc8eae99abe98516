import { slopeOf, verdictOf } from './slope.js';
import type { Sample } from './slope.js';

/** One sample a minute of a value that grows by this much an hour, with alternating `noise`. */
const samples = (minutes: number, perHour: number, noise: number): Sample[] =>
  Array.from({ length: minutes }, (_, minute) => ({
    minute,
    value: 200 + (minute * perHour) / 60 + (minute % 2 === 0 ? noise : -noise),
  }));

describe('the slope of a soak', () => {
  it('is that of the regression line', () => {
    const { perHour, doubt } = slopeOf(samples(10, 120, 0));
    expect(perHour).toBeCloseTo(120, 6);
    expect(doubt).toBeCloseTo(0, 6);
    const noisy = slopeOf(samples(30, 120, 5));
    expect(Math.abs(noisy.perHour - 120)).toBeLessThan(noisy.doubt);
  });

  it('is classified', () => {
    const verdict = (minutes: number, perHour: number, noise: number): string =>
      verdictOf(slopeOf(samples(minutes, perHour, noise)), 64);
    expect(verdict(30, 0, 5)).toBe('flat');
    expect(verdict(30, 200, 5)).toBe('grows');
    expect(verdict(5, 0, 20)).toBe('not shown: run it longer');
    expect(verdict(2, 0, 0)).toBe('not shown: run it longer');
    expect(verdict(1, 0, 0)).toBe('not shown: run it longer');
  });
});
