/** Something that must be over by a time. */
export interface Timed {
  readonly deadlineAt: number;
  readonly over: boolean;
  expire(): void;
}

/** How late an expiry may be noticed, ms. */
const RESOLUTION_MS = 10;

/**
 * Expires what is not over by its deadline. One timer serves all: one of its own would cost every check more than its
 * decision does. What is over is let go with the next sweep, before the collector takes it for long-lived.
 */
export class Deadlines {
  #waiting: Timed[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly now: () => number) {}

  add(timed: Timed): void {
    this.#waiting.push(timed);
    this.#timer ??= setInterval(() => this.#sweep(), RESOLUTION_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #sweep(): void {
    const now = this.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const timed of waiting) {
      if (timed.over) continue;
      if (timed.deadlineAt > now) this.#waiting.push(timed);
      else timed.expire();
    }
    if (this.#waiting.length === 0) this.stop();
  }
}
