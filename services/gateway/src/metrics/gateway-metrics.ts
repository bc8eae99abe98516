import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

const DURATION = 'countersign_check_duration_seconds';

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** Upper bounds in ms. */
const LATENCIES = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000];

export interface GatewayGauges {
  inFlight(): number;
  unanswered(): number;
}

interface Latencies {
  readonly counts: number[];
  /** ms */
  sum: number;
}

/** A histogram whose figures are counted elsewhere: as much of prom-client's own as a registry asks of a metric. */
function foldedHistogram(latencies: Latencies): Histogram {
  const help = 'Time from the request head to the answer of a recorded check';
  const get = (): Promise<object> => {
    const values: { metricName: string; labels: { le?: number | string }; value: number }[] = [];
    let below = 0;
    latencies.counts.forEach((count, i) => {
      below += count;
      const bound = LATENCIES[i];
      const le = bound === undefined ? '+Inf' : bound / 1000;
      values.push({ metricName: `${DURATION}_bucket`, labels: { le }, value: below });
    });
    values.push({ metricName: `${DURATION}_sum`, labels: {}, value: latencies.sum / 1000 });
    values.push({ metricName: `${DURATION}_count`, labels: {}, value: below });
    return Promise.resolve({ name: DURATION, help, type: 'histogram', aggregator: 'sum', values });
  };
  return { name: DURATION, get, reset: () => undefined } as unknown as Histogram;
}

/**
 * Counted in plain numbers and put into prom-client's form when someone reads: its own counting by labels costs more
 * than a decision.
 */
export class GatewayMetrics {
  readonly #outcomes = new Map<string, number>();
  readonly #statuses = new Map<number, number>();
  readonly #latencies: Latencies = { counts: new Array<number>(LATENCIES.length + 1).fill(0), sum: 0 };
  readonly #batches: Histogram;
  #replayed = 0;

  constructor(registry: Registry, gauges: GatewayGauges) {
    const registers = [registry];
    const checks = new Counter({
      name: 'countersign_checks_total',
      help: 'Recorded checks by outcome',
      labelNames: ['outcome'],
      registers,
      collect: () => {
        checks.reset();
        for (const [outcome, count] of this.#outcomes) checks.inc({ outcome }, count);
      },
    });
    const statuses = new Counter({
      name: 'countersign_check_answers_total',
      help: 'Answers to POST /v1/check by status',
      labelNames: ['status'],
      registers,
      collect: () => {
        statuses.reset();
        for (const [status, count] of this.#statuses) statuses.inc({ status: `${status}` }, count);
      },
    });
    registry.registerMetric(foldedHistogram(this.#latencies));
    const replayed = new Counter({
      name: 'countersign_check_replays_total',
      help: 'Answers given again for a repeated idempotency key',
      registers,
      collect: () => {
        replayed.reset();
        replayed.inc(this.#replayed);
      },
    });
    const inFlight: Gauge = new Gauge({
      name: 'countersign_checks_in_flight',
      help: 'Checks under way',
      registers,
      collect: (): void => inFlight.set(gauges.inFlight()),
    });
    const unanswered: Gauge = new Gauge({
      name: 'countersign_unanswered_waiting',
      help: 'Checks of unknown fate whose action.unanswered is not written yet',
      registers,
      collect: (): void => unanswered.set(gauges.unanswered()),
    });
    this.#batches = new Histogram({
      name: 'countersign_append_batch_size',
      help: 'Events in one append to the log',
      buckets: BATCH_SIZES,
      registers,
    });
  }

  answered(status: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  recorded(outcome: string, milliseconds: number): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#latencies.sum += milliseconds;
    let i = 0;
    while (i < LATENCIES.length && milliseconds > LATENCIES[i]!) i += 1;
    this.#latencies.counts[i]! += 1;
  }

  replayed(): void {
    this.#replayed += 1;
  }

  batch(size: number): void {
    this.#batches.observe(size);
  }
}
