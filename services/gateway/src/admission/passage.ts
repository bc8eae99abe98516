/**
 * Something that checks pass through one after another, the log or the counters: how long whoever enters now will be in
 * it, as far as anyone can tell. What comes through beside others that hang is a sign of life: one dead partition holds
 * up its own checks alone.
 */
export class Passage {
  readonly #now: () => number;
  #inside = 0;
  /** When something came through last, or when the first of those inside entered. */
  #movedAt = 0;
  /** How long the last that came through was inside. */
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

  /** It will not come through. */
  failed(): void {
    this.#inside -= 1;
  }

  /** ms; 0 where nobody is inside. */
  delay(at: number): number {
    return this.#inside === 0 ? 0 : Math.max(at - this.#movedAt, this.#lastMs);
  }
}
