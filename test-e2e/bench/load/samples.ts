import type { Latencies } from './job.js';

/** Values in insertion order, in memory that grows by doubling. */
export class Samples {
  #values = new Float64Array(1 << 16);
  #count = 0;

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count] = value;
    this.#count += 1;
  }

  /** Share of the values that are less; NaN if there are none. */
  partBelow(limit: number): number {
    const values = this.#values.subarray(0, this.#count);
    return values.reduce((count, value) => (value < limit ? count + 1 : count), 0) / this.#count;
  }

  /** NaN if there are none. */
  latencies(): Latencies {
    const sorted = this.#values.slice(0, this.#count).sort();
    return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), p999: quantile(sorted, 0.999) };
  }
}

/** The smallest value that at least this share of all values do not exceed. */
export function quantile(sorted: ArrayLike<number>, part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** The middle value; of an even number the lower one. NaN if there are none. */
export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
