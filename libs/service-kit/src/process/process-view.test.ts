import { Gauge, Histogram, Registry } from 'prom-client';
import { samplesOf } from './process-view.js';

it('reads the wanted metrics of a registry and collects no other', async () => {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({ name: 'a_total', help: 'a', labelNames: ['of'], registers }).set({ of: 'x' }, 2);
  new Histogram({ name: 'b_seconds', help: 'b', buckets: [1], registers }).observe(0.5);
  let collected = 0;
  const collect = (): void => void (collected += 1);
  new Gauge({ name: 'c', help: 'c', registers, collect });
  expect(await samplesOf(registry, ['a_total', 'b_seconds', 'none'])).toEqual([
    { name: 'a_total', labels: { of: 'x' }, value: 2 },
    { name: 'b_seconds_bucket', labels: { le: '1' }, value: 1 },
    { name: 'b_seconds_bucket', labels: { le: '+Inf' }, value: 1 },
    { name: 'b_seconds_sum', labels: {}, value: 0.5 },
    { name: 'b_seconds_count', labels: {}, value: 1 },
  ]);
  expect(collected).toBe(0);
});
