interface Entry<V> {
  readonly value: V;
  readonly weight: number;
  /** Since it was last skipped. */
  used: boolean;
}

/**
 * Values by key, up to a total weight. The oldest is evicted first, unless it was used since it was set or last
 * skipped: then it is skipped (second chance). A use does not reorder, as it is part of every check.
 */
export class RecentlyUsed<V> {
  readonly #most: number;
  readonly #entries = new Map<string, Entry<V>>();
  #weight = 0;

  constructor(mostWeight: number) {
    this.#most = mostWeight;
  }

  get weight(): number {
    return this.#weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.value;
  }

  /** Keeps the newest whatever it weighs. */
  set(key: string, value: V, weight: number): void {
    this.delete(key);
    // The newest is not evicted.
    while (this.#weight + weight > this.#most && this.#entries.size > 0) this.#dropOne();
    this.#entries.set(key, { value, weight, used: false });
    this.#weight += weight;
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  /** Terminates: a skipped entry is unused when it is reached again. */
  #dropOne(): void {
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      if (!entry.used) {
        this.#weight -= entry.weight;
        return;
      }
      entry.used = false;
      this.#entries.set(key, entry);
    }
  }
}
