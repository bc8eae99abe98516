/** Calls `work` again and again, one call at a time: at once when poked, else after the pause that it asks for. */
export class BackgroundLoop {
  readonly #work: () => Promise<number>;
  readonly #failed: (error: unknown) => number;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #poked = false;
  #stopped = false;

  /**
   * @param work gives the ms until the next call; it is called sooner when poked
   * @param failed takes what `work` threw and gives the ms until the next try
   */
  constructor(work: () => Promise<number>, failed: (error: unknown) => number) {
    this.#work = work;
    this.#failed = failed;
  }

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

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #once(): Promise<void> {
    let pauseMs: number;
    do {
      this.#poked = false;
      // What fails because it was ended is nobody's problem.
      pauseMs = await this.#work().catch((error: unknown) => (this.#stopped ? 0 : this.#failed(error)));
    } while (this.#poked && !this.#stopped);
    if (this.#stopped) return;
    this.#timer = setTimeout(this.poke, pauseMs);
    this.#timer.unref();
  }
}
