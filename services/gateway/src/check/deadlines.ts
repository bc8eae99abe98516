/** Something that must be over by a time. */
export interface Timed {
  readonly deadlineAt: number;
  readonly over: boolean;
  expire(): void;
}

/** How late an expiry may be noticed, ms. */
const RESOLUTION_MS = 10;

/**
 * Expires what is not over by its deadline. All deadlines are equally far away when they are added, so they come in
 * order and one timer serves them all: a timer of its own would cost every check more than its decision does.
 */
export class Deadlines {
  #waiting: Timed[] = [];
  #first = 0;
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
    let first = this.#first;
    for (; first < waiting.length; first += 1) {
      const timed = waiting[first]!;
      if (timed.over) continue;
      if (timed.deadlineAt > now) break;
      timed.expire();
    }
    this.#first = first;
    if (first === waiting.length) {
      this.#waiting = [];
      this.#first = 0;
      this.stop();
    } else if (first > 1024) {
      this.#waiting = waiting.slice(first);
      this.#first = 0;
    }
  }
}
