import type { Histogram, Registry } from 'prom-client';

export interface FoldedHistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending, in the unit of the added values. */
  readonly bounds: readonly number[];
  /** Number of those units in one unit of the metric. */
  readonly divisor: number;
}

/**
 * A histogram counted in plain numbers: implements the part of prom-client's histogram that a registry uses when it is
 * read.
 */
export class FoldedHistogram {
  readonly #options: FoldedHistogramOptions;
  readonly #counts: number[];
  #sum = 0;

  constructor(registry: Registry, options: FoldedHistogramOptions) {
    this.#options = options;
    this.#counts = new Array<number>(options.bounds.length + 1).fill(0);
    const { name } = options;
    registry.registerMetric({ name, get: () => this.#read(), reset: () => undefined } as unknown as Histogram);
  }

  /** Adds the value this many times. */
  add(value: number, times = 1): void {
    const { bounds } = this.#options;
    this.#sum += value * times;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i += 1;
    this.#counts[i]! += times;
  }

  async #read(): Promise<object> {
    const { name, help, bounds, divisor } = this.#options;
    const values: { metricName: string; labels: { le?: number | string }; value: number }[] = [];
    let below = 0;
    this.#counts.forEach((count, i) => {
      below += count;
      const bound = bounds[i];
      const le = bound === undefined ? '+Inf' : bound / divisor;
      values.push({ metricName: `${name}_bucket`, labels: { le }, value: below });
    });
    values.push({ metricName: `${name}_sum`, labels: {}, value: this.#sum / divisor });
    values.push({ metricName: `${name}_count`, labels: {}, value: below });
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
