import { REFUSAL_AIM_MS } from './job.js';
import type { Outcome } from './job.js';
import { Samples } from './samples.js';

/** Counts the results of one job. */
export class Tally {
  #answered = 0;
  #inTime = 0;
  #refusedInTime = 0;
  readonly #failures: Record<number, number> = {};
  readonly #samples = new Samples();
  readonly #refused = new Samples();
  readonly #lateness = new Samples();
  readonly #startedAt = performance.now();
  readonly #cpuBefore = process.cpuUsage();

  /** @param milliseconds `null`: it arrived after the time, and is only counted */
  answered(status: number, milliseconds: number | null): void {
    if (status === 200) this.#answered += 1;
    else this.#failures[status] = (this.#failures[status] ?? 0) + 1;
    if (milliseconds === null) return;
    if (status === 200) this.#inTime += 1;
    if (status === 503) this.#refusedInTime += 1;
    this.#sample(status, milliseconds);
  }

  /** @param lateMs delay after the due time */
  sent(lateMs: number): void {
    this.#lateness.add(lateMs);
  }

  /** A late answer is a latency of an open loop nevertheless. */
  late(status: number, milliseconds: number): void {
    this.answered(status, null);
    this.#sample(status, milliseconds);
  }

  #sample(status: number, milliseconds: number): void {
    if (status === 200) this.#samples.add(milliseconds);
    else if (status === 503) this.#refused.add(milliseconds);
  }

  outcome(seconds: number): Outcome {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    const elapsed = performance.now() - this.#startedAt;
    return {
      answered: this.#answered,
      failures: this.#failures,
      perSecond: this.#inTime / seconds,
      latency: this.#samples.latencies(),
      refusedLatency: this.#refused.latencies(),
      refusedInAimPercent: 100 * this.#refused.partBelow(REFUSAL_AIM_MS),
      refusedPerSecond: this.#refusedInTime / seconds,
      sentLateMs: this.#lateness.latencies().p99,
      generatorBusy: (user + system) / 1000 / elapsed,
    };
  }
}
