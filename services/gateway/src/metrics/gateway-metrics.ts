import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** Upper bounds in ms. */
const LATENCIES = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000];

export interface GatewayGauges {
  inFlight(): number;
  unanswered(): number;
}

class Latencies {
  readonly counts = new Array<number>(LATENCIES.length + 1).fill(0);
  /** ms */
  sum = 0;

  /** So many, each of so long. */
  add(milliseconds: number, times = 1): void {
    this.sum += milliseconds * times;
    let i = 0;
    while (i < LATENCIES.length && milliseconds > LATENCIES[i]!) i += 1;
    this.counts[i]! += times;
  }
}

/** A histogram whose figures are counted elsewhere: as much of prom-client's own as a registry asks of a metric. */
function foldedHistogram(name: string, help: string, latencies: Latencies): Histogram {
  const get = (): Promise<object> => {
    const values: { metricName: string; labels: { le?: number | string }; value: number }[] = [];
    let below = 0;
    latencies.counts.forEach((count, i) => {
      below += count;
      const bound = LATENCIES[i];
      const le = bound === undefined ? '+Inf' : bound / 1000;
      values.push({ metricName: `${name}_bucket`, labels: { le }, value: below });
    });
    values.push({ metricName: `${name}_sum`, labels: {}, value: latencies.sum / 1000 });
    values.push({ metricName: `${name}_count`, labels: {}, value: below });
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  };
  return { name, get, reset: () => undefined } as unknown as Histogram;
}

/**
 * Counted in plain numbers and put into prom-client's form when someone reads: its own counting by labels costs more
 * than a decision.
 */
export class GatewayMetrics {
  readonly #outcomes = new Map<string, number>();
  readonly #statuses = new Map<number, number>();
  readonly #checks = new Latencies();
  readonly #trips = new Latencies();
  readonly #appends = new Latencies();
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
    const spans = [
      ['duration', 'Time from the request head to the answer of a recorded check', this.#checks],
      ['counters', 'Time of the trip of a check to the counters and back', this.#trips],
      ['append', 'Time from the append of an event to its fate', this.#appends],
    ] as const;
    for (const [name, help, latencies] of spans) {
      registry.registerMetric(foldedHistogram(`countersign_check_${name}_seconds`, help, latencies));
    }
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
    this.#checks.add(milliseconds);
  }

  replayed(): void {
    this.#replayed += 1;
  }

  batch(size: number): void {
    this.#batches.observe(size);
  }

  /** Events of one append have met their fate. */
  appended(size: number, milliseconds: number): void {
    this.#appends.add(milliseconds, size);
  }

  /** A check came back from the counters. */
  counted(milliseconds: number): void {
    this.#trips.add(milliseconds);
  }
}
