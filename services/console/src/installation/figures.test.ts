import type { Sample } from '@countersign/service-kit';
import { figuresOf, quantile } from './figures.js';

const sample = (name: string, value: number, labels: Record<string, string> = {}): Sample => ({
  name: `countersign_${name}`,
  value,
  labels,
});
const bucket = (le: string, value: number): Sample => sample('check_duration_seconds_bucket', value, { le });

describe('figures', () => {
  it('of several processes are summed up, and of a shared state the worst counts', () => {
    const figures = figuresOf([
      {
        name: 'one',
        samples: [
          sample('consumer_lag_messages', 3, { service: 'alerts', partition: '0' }),
          sample('consumer_lag_messages', 4, { service: 'alerts', partition: '1' }),
          sample('event_loop_lag_seconds', 0.02, { thread: 'main', quantile: '0.5' }),
          sample('event_loop_lag_seconds', 0.05, { thread: 'main', quantile: '0.99' }),
          sample('anchoring_chain_reachable', 1),
          sample('anchor_windows_waiting', 2),
          sample('alert_messages_waiting', 5),
          sample('alert_oldest_due_seconds', 0.5),
          bucket('0.001', 5),
          bucket('+Inf', 10),
        ],
      },
      {
        name: 'other',
        samples: [
          sample('consumer_lag_messages', 1, { service: 'alerts', partition: '2' }),
          sample('event_loop_lag_seconds', Number.NaN, { thread: 'main', quantile: '0.5' }),
          sample('anchoring_chain_reachable', 0),
          sample('alert_messages_waiting', 7),
          sample('alert_oldest_due_seconds', 2),
          bucket('0.001', 5),
          bucket('+Inf', 10),
        ],
      },
    ]);
    expect(figures).toEqual({
      consumerLag: [{ service: 'alerts', messages: 8 }],
      eventLoop: [{ process: 'one', thread: 'main', p50Seconds: 0.02, p99Seconds: 0.05 }],
      chainReachable: false,
      windowsWaiting: 2,
      lastWindowAgeSeconds: null,
      alerts: { waiting: 7, oldestDueSeconds: 2 },
      checks: { count: 20, p50Seconds: 0.001, p95Seconds: 0.001, p99Seconds: 0.001 },
    });
  });

  it('that were not read are null, not zero', () => {
    expect(figuresOf([{ name: 'silent', samples: [] }])).toEqual({
      consumerLag: [],
      eventLoop: [],
      chainReachable: null,
      windowsWaiting: null,
      lastWindowAgeSeconds: null,
      alerts: null,
      checks: null,
    });
  });
});

// Figures of `histogram_quantile` in the documentation and tests of Prometheus.
it.each([
  [
    0.5,
    [
      [0.1, 10],
      [0.2, 20],
      [Infinity, 20],
    ],
    0.1,
  ],
  [
    0.75,
    [
      [0.1, 10],
      [0.2, 20],
      [Infinity, 20],
    ],
    0.15,
  ],
  [
    0.25,
    [
      [0.1, 10],
      [0.2, 20],
      [Infinity, 20],
    ],
    0.05,
  ],
  [
    0.99,
    [
      [0.1, 10],
      [Infinity, 20],
    ],
    0.1,
  ],
  [
    0.5,
    [
      [0.1, 0],
      [Infinity, 0],
    ],
    null,
  ],
  [0.5, [], null],
] as const)('quantile %d of %j is %d', (q, buckets, expected) => {
  const found = quantile(q, buckets);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(expected, 12);
});
