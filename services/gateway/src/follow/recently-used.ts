interface Entry<V> {
  readonly value: V;
  readonly weight: number;
  /** Since it was passed over last. */
  used: boolean;
}

/**
 * Values by key, at most so much weight of them. The oldest goes first, unless it was used since it was set or passed over:
 * then it is passed over once more (second chance). A use costs no change of order, as it is part of every check.
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
    // The newest is not among those that may go.
    while (this.#weight + weight > this.#most && this.#entries.size > 0) this.#dropOne();
    this.#entries.set(key, { value, weight, used: false });
    this.#weight += weight;
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  /** Ends: whatever is passed over is not used any more when its turn comes again. */
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
