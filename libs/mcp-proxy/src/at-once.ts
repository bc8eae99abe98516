/** Does so much at once, and the rest in the order in which it was asked. */
export class AtOnce {
  #busy = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param most tasks that run beside each other */
  constructor(private readonly most: number) {}

  /** What `task` gives, or throws. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#busy < this.most) this.#busy += 1;
    // Whoever ends hands its place on.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }
}
