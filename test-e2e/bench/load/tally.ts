import type { Outcome } from './job.js';
import { Samples } from './samples.js';

/** Counts what comes of one job. */
export class Tally {
  #answered = 0;
  #inTime = 0;
  readonly #failures: Record<number, number> = {};
  readonly #samples = new Samples();
  readonly #startedAt = performance.now();
  readonly #cpuBefore = process.cpuUsage();

  /** @param milliseconds `null`: it came after the time, it only counts */
  answered(status: number, milliseconds: number | null): void {
    if (status !== 200) {
      this.#failures[status] = (this.#failures[status] ?? 0) + 1;
      return;
    }
    this.#answered += 1;
    if (milliseconds === null) return;
    this.#inTime += 1;
    this.#samples.add(milliseconds);
  }

  /** An answer that came late is a latency all the same in an open loop. */
  late(status: number, milliseconds: number): void {
    this.answered(status, null);
    if (status === 200) this.#samples.add(milliseconds);
  }

  outcome(seconds: number): Outcome {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    const elapsed = performance.now() - this.#startedAt;
    return {
      answered: this.#answered,
      failures: this.#failures,
      perSecond: this.#inTime / seconds,
      latency: this.#samples.latencies(),
      generatorBusy: (user + system) / 1000 / elapsed,
    };
  }
}
