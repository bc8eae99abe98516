/** Runs at most `permits` tasks at the same time; further tasks start in the order in which they were submitted. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Permits that are not taken. */
  get free(): number {
    return this.#free;
  }

  /** Tasks that wait for a permit. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves or rejects as `task` does. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    // A task that ends passes its permit directly to the first that waits.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
