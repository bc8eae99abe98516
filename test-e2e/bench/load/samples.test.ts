import { median, quantile, Samples } from './samples.js';

describe('samples', () => {
  it('returns the value at or below which a share of all lies', () => {
    const samples = new Samples();
    for (let i = 100_000; i >= 1; i -= 1) samples.add(i);
    expect(samples.latencies()).toEqual({ p50: 50_000, p99: 99_000, p999: 99_900 });
  });

  it('returns the middle', () => {
    expect(median([5, 1, 9, 3, 7])).toBe(5);
    expect(median([2, 1])).toBe(1);
    expect(median([])).toBeNaN();
    expect(quantile([1, 2, 3], 0.999)).toBe(3);
  });
});
