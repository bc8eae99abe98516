/** Serializes the holders of a partition within this process, whatever the group's coordinator assigns. */
export class PartitionLocks {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves with the function that releases it, once all earlier holders have released it. */
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
