/** Long enough for pending records to arrive; random, so that one of several instances is first. */
const PAUSE_MS = { least: 500, most: 1500 } as const;

/** Ids whose last record in a compacted topic is not their newest; schedules their repair. */
export class StaleIds {
  readonly #ids = new Set<string>();
  readonly #repair: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #repairing: Promise<void> = Promise.resolve();
  #stopped = false;

  /**
   * @param repair appends the newest records of `all()` again; repeated while ids are left
   * @param failed receives the error of a repair
   */
  constructor(repair: () => Promise<void>, failed: (error: unknown) => void) {
    this.#repair = repair;
    this.#failed = failed;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  all(): readonly string[] {
    return [...this.#ids];
  }

  /** Repairs them after a pause, if there are any. */
  repairSoon(): void {
    if (this.#ids.size === 0 || this.#stopped || this.#timer !== null) return;
    const pause = PAUSE_MS.least + Math.random() * (PAUSE_MS.most - PAUSE_MS.least);
    this.#timer = setTimeout(() => {
      this.#repairing = this.#repair().catch(this.#failed);
      void this.#repairing.then(() => {
        this.#timer = null;
        this.repairSoon();
      });
    }, pause);
    this.#timer.unref();
  }

  /** Begins no further repair; resolves when the one that is running has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#repairing;
  }
}
