import { DataPointType } from '@opentelemetry/sdk-metrics';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { RegistryProducer } from './registry-producer.js';

describe('metrics of prom-client as those of OpenTelemetry', () => {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['of'];
  new Counter({ name: 'things_total', help: 'Things', labelNames, registers }).inc({ of: 'a' }, 3);
  new Gauge({ name: 'size_bytes', help: 'Size', registers }).set(-7.5);
  const times = new Histogram({ name: 'time_seconds', help: 'Time', labelNames, buckets: [0.1, 1], registers });
  for (const seconds of [0.05, 0.5, 0.6, 5]) times.observe({ of: 'a' }, seconds);
  times.observe({ of: 'b' }, 0.1);
  new Summary({ name: 'old_seconds', help: 'Old', registers }).observe(1);

  const collect = async () => {
    const producer = new RegistryProducer(() => Promise.resolve(registry), resourceFromAttributes({}));
    const { resourceMetrics } = await producer.collect();
    return new Map(resourceMetrics.scopeMetrics[0]!.metrics.map((metric) => [metric.descriptor.name, metric]));
  };

  it('are monotonic sums and gauges under the same names', async () => {
    const metrics = await collect();
    expect(metrics.get('things_total')).toMatchObject({
      descriptor: { description: 'Things', unit: '' },
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [{ attributes: { of: 'a' }, value: 3 }],
    });
    expect(metrics.get('size_bytes')).toMatchObject({
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ attributes: {}, value: -7.5 }],
    });
  });

  it('are histograms with the count of each bucket, one for each set of labels', async () => {
    expect((await collect()).get('time_seconds')).toMatchObject({
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: [
        {
          attributes: { of: 'a' },
          value: { buckets: { boundaries: [0.1, 1], counts: [1, 2, 1] }, sum: 6.15, count: 4 },
        },
        {
          attributes: { of: 'b' },
          value: { buckets: { boundaries: [0.1, 1], counts: [1, 0, 0] }, sum: 0.1, count: 1 },
        },
      ],
    });
  });

  it('leave summaries out, and say since when they count', async () => {
    const metrics = await collect();
    expect([...metrics.keys()].sort()).toEqual(['size_bytes', 'things_total', 'time_seconds']);
    const [point] = metrics.get('things_total')!.dataPoints;
    expect(point!.startTime[0]).toBe(Math.floor(performance.timeOrigin / 1000));
    expect(point!.endTime[0]).toBeGreaterThanOrEqual(point!.startTime[0]);
  });

  it('are as many as are read, of a registry with none too', async () => {
    const producer = new RegistryProducer(() => Promise.resolve(new Registry()), resourceFromAttributes({}));
    expect((await producer.collect()).resourceMetrics.scopeMetrics[0]!.metrics).toEqual([]);
  });
});
