/**
 * Estimates how long a check that enters now will take in something that checks pass one after another, the log or the
 * counters. A success next to others that hang is a sign of life: one dead partition delays only its own checks.
 */
export class LatencyProbe {
  readonly #now: () => number;
  #inside = 0;
  /** Time of the last success, or of the first entry of those inside. */
  #movedAt = 0;
  /** Time that the last success took. */
  #lastMs = 0;

  /** @param now monotonic, ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param at the time, if it is known */
  entered(at: number = this.#now()): void {
    if (this.#inside === 0) {
      this.#movedAt = at;
      this.#lastMs = 0;
    }
    this.#inside += 1;
  }

  passed(milliseconds: number): void {
    this.#inside -= 1;
    this.#movedAt = this.#now();
    this.#lastMs = milliseconds;
  }

  /** It will not pass. */
  failed(): void {
    this.#inside -= 1;
  }

  /** ms; 0 while it is empty. */
  delay(at: number): number {
    return this.#inside === 0 ? 0 : Math.max(at - this.#movedAt, this.#lastMs);
  }
}
