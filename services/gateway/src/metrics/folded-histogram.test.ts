import { Histogram, Registry } from 'prom-client';
import { FoldedHistogram } from './folded-histogram.js';

describe('FoldedHistogram', () => {
  it('has the same output as a histogram of prom-client', async () => {
    const theirs = new Registry();
    const histogram = new Histogram({
      name: 'waits_seconds',
      help: 'Waits',
      buckets: [0.001, 0.01],
      registers: [theirs],
    });
    const ours = new Registry();
    const folded = new FoldedHistogram(ours, { name: 'waits_seconds', help: 'Waits', bounds: [1, 10], divisor: 1000 });
    for (const ms of [0.25, 1, 1.5, 10, 11]) {
      histogram.observe(ms / 1000);
      folded.add(ms);
    }
    const sum = /^(waits_seconds_sum) .*$/m;
    expect((await ours.metrics()).replace(sum, '$1').trim()).toBe((await theirs.metrics()).replace(sum, '$1').trim());
    folded.add(2, 3);
    expect(await ours.metrics()).toContain('waits_seconds_count 8\n');
    expect(await ours.metrics()).toContain('waits_seconds_sum 0.02975\n');
  });
});
