/** Lets one holder at a time have a partition inside this process, whatever the group's coordinator believes. */
export class PartitionLocks {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves with the function that gives it back, once all earlier holders have. */
  async take(key: string): Promise<() => void> {
    const before = this.#last.get(key);
    let release: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (release = resolve));
    const chain = (before ?? Promise.resolve()).then(() => mine);
    this.#last.set(key, chain);
    await before;
    return () => {
      if (this.#last.get(key) === chain) this.#last.delete(key);
      release();
    };
  }
}
