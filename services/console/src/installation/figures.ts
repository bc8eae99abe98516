import type { InstallationState } from '@countersign/contracts';
import type { Sample } from '@countersign/service-kit';

const LAG = 'countersign_consumer_lag_messages';
const LOOP = 'countersign_event_loop_lag_seconds';
const CHAIN = 'countersign_anchoring_chain_reachable';
const WINDOWS = 'countersign_anchor_windows_waiting';
const WINDOW_AGE = 'countersign_anchor_last_window_age_seconds';
const ALERTS = 'countersign_alert_messages_waiting';
const ALERT_DUE = 'countersign_alert_oldest_due_seconds';
const CHECKS = 'countersign_check_duration_seconds';

/** Metrics from which {@link figuresOf} reads. */
export const METRICS: readonly string[] = [LAG, LOOP, CHAIN, WINDOWS, WINDOW_AGE, ALERTS, ALERT_DUE, CHECKS];

export interface ReadProcess {
  /** As people are shown it. */
  readonly name: string;
  readonly samples: readonly Sample[];
}

type Figures = Omit<InstallationState, 'asOf' | 'services'>;

/**
 * The figures of several processes together. Lag and checks are summed up. Of what instances report of one shared state, the
 * worst counts: a chain that one of them cannot reach, the longest queue.
 */
export function figuresOf(processes: readonly ReadProcess[]): Figures {
  const all = processes.flatMap(({ samples }) => samples);
  const most = (name: string): number | null => {
    const values = valuesOf(all, name);
    return values.length === 0 ? null : Math.max(0, ...values);
  };
  const reachable = valuesOf(all, CHAIN);
  const waiting = most(ALERTS);
  return {
    consumerLag: lagOf(all),
    eventLoop: processes.flatMap(eventLoopOf),
    chainReachable: reachable.length === 0 ? null : reachable.every((value) => value === 1),
    windowsWaiting: whole(most(WINDOWS)),
    lastWindowAgeSeconds: most(WINDOW_AGE),
    alerts: waiting === null ? null : { waiting: Math.round(waiting), oldestDueSeconds: most(ALERT_DUE) ?? 0 },
    checks: checksOf(all),
  };
}

/** Finite ones: JSON has no others. */
function valuesOf(samples: readonly Sample[], name: string): readonly number[] {
  return samples.filter((one) => one.name === name && Number.isFinite(one.value)).map(({ value }) => value);
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

function lagOf(samples: readonly Sample[]): Figures['consumerLag'] {
  const lag = new Map<string, number>();
  for (const { name, labels, value } of samples) {
    if (name !== LAG || !Number.isFinite(value)) continue;
    const service = labels['service'] ?? '';
    lag.set(service, (lag.get(service) ?? 0) + Math.max(0, Math.round(value)));
  }
  return [...lag].map(([service, messages]) => ({ service, messages }));
}

function eventLoopOf({ name: process, samples }: ReadProcess): Figures['eventLoop'] {
  const threads = new Map<string, Map<string, number>>();
  for (const { name, labels, value } of samples) {
    if (name !== LOOP || !Number.isFinite(value)) continue;
    const thread = labels['thread'] ?? '';
    const quantiles = threads.get(thread) ?? new Map<string, number>();
    threads.set(thread, quantiles.set(labels['quantile'] ?? '', Math.max(0, value)));
  }
  return [...threads].flatMap(([thread, quantiles]) => {
    const [p50Seconds, p99Seconds] = [quantiles.get('0.5'), quantiles.get('0.99')];
    return p50Seconds === undefined || p99Seconds === undefined ? [] : [{ process, thread, p50Seconds, p99Seconds }];
  });
}

function checksOf(samples: readonly Sample[]): Figures['checks'] {
  const buckets = new Map<number, number>();
  for (const { name, labels, value } of samples) {
    if (name !== `${CHECKS}_bucket` || !Number.isFinite(value)) continue;
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    if (!Number.isNaN(bound)) buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  const count = buckets.get(Infinity);
  if (count === undefined) return null;
  const sorted = [...buckets].sort(([one], [other]) => one - other);
  const [p50Seconds, p95Seconds, p99Seconds] = [0.5, 0.95, 0.99].map((q) => quantile(q, sorted));
  return { count: Math.round(count), p50Seconds: p50Seconds!, p95Seconds: p95Seconds!, p99Seconds: p99Seconds! };
}

/**
 * As `histogram_quantile` of Prometheus: linear within the bucket; beyond the last finite bound that bound.
 * @param buckets upper bounds, ascending, the last one infinite, with the number of values up to each
 * @returns `null` if there are no values
 */
export function quantile(q: number, buckets: readonly (readonly [number, number])[]): number | null {
  const count = buckets.at(-1)?.[1] ?? 0;
  if (count === 0) return null;
  const rank = q * count;
  const at = buckets.findIndex(([, below]) => below >= rank);
  const [bound, below] = buckets[at]!;
  const [lower, before] = at === 0 ? [0, 0] : buckets[at - 1]!;
  if (bound === Infinity) return lower;
  return below === before ? bound : lower + (bound - lower) * ((rank - before) / (below - before));
}
