/** Has a deadline until it is over. */
export interface Timed {
  /** By the clock of its {@link Deadlines}, ms. */
  readonly deadlineAt: number;
  readonly over: boolean;
}

/** How late an expiry may be noticed, ms. */
const RESOLUTION_MS = 10;

/**
 * Expires objects that are not over by their deadlines. One timer serves all: a timer of its own costs a short call more
 * than its work. The next sweep drops those that are over, before the garbage collector counts them as long-lived.
 */
export class Deadlines<T extends Timed> {
  readonly #expire: (due: readonly T[]) => void;
  readonly #now: () => number;
  readonly #sweep = (): void => this.#look();
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /**
   * @param expire receives objects that have passed their deadline and are not over, each once, in the order of `add`
   * @param now monotonic clock, ms
   */
  constructor(expire: (due: readonly T[]) => void, now: () => number = () => performance.now()) {
    this.#expire = expire;
    this.#now = now;
  }

  /** Entries that were added and not dropped by a sweep yet. */
  get waiting(): readonly T[] {
    return this.#waiting;
  }

  add(timed: T): void {
    if (this.#stopped) return;
    this.#waiting.push(timed);
    if (this.#timer === null) this.#arm(timed.deadlineAt);
  }

  /** Nothing expires any more, and nothing is added. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting = [];
  }

  #arm(deadlineAt: number): void {
    const left = Math.max(1, Math.ceil(deadlineAt - this.#now()));
    this.#timer = setTimeout(this.#sweep, Math.min(left, RESOLUTION_MS));
  }

  #look(): void {
    const now = this.#now();
    const due: T[] = [];
    const waiting: T[] = [];
    let earliest = Infinity;
    for (const timed of this.#waiting) {
      if (timed.over) continue;
      if (timed.deadlineAt <= now) due.push(timed);
      else {
        waiting.push(timed);
        earliest = Math.min(earliest, timed.deadlineAt);
      }
    }
    this.#waiting = waiting;
    this.#timer = null;
    if (waiting.length > 0) this.#arm(earliest);
    if (due.length > 0) this.#expire(due);
  }
}
