/** Calls `work` repeatedly, one call at a time: at once when poked, otherwise after the pause that `work` returns. */
export class BackgroundLoop {
  readonly #work: () => Promise<number>;
  readonly #failed: (error: unknown) => number;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #poked = false;
  #stopped = false;

  /**
   * @param work returns the pause until its next call, ms; a poke ends the pause
   * @param failed receives what `work` threw and returns the pause until the next call, ms
   */
  constructor(work: () => Promise<number>, failed: (error: unknown) => number) {
    this.#work = work;
    this.#failed = failed;
  }

  /** Makes the first call after this pause, ms. */
  start(pauseMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(this.poke, pauseMs);
    this.#timer.unref();
  }

  /** Calls `work` at once, or once more after the call that is running. */
  readonly poke = (): void => {
    if (this.#stopped) return;
    if (this.#running !== null) {
      this.#poked = true;
      return;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running = this.#once().finally(() => {
      this.#running = null;
      if (this.#poked) this.poke();
    });
  };

  /** Makes no further call; resolves when the one that is running has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #once(): Promise<void> {
    let pauseMs: number;
    do {
      this.#poked = false;
      // A call that fails because the loop was stopped is not reported.
      pauseMs = await this.#work().catch((error: unknown) => (this.#stopped ? 0 : this.#failed(error)));
    } while (this.#poked && !this.#stopped);
    this.start(pauseMs);
  }
}
