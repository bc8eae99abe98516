/** An account that holds claims. */
export interface ClaimHolder<C> {
  readonly accountId: string;
  readonly answered: ClaimQueue<C>;
  size: number;
}

/** The accounts that hold claims, and the one with the most: each step has constant cost. */
export class ClaimHolders<C> {
  readonly #holders = new Map<string, ClaimHolder<C>>();
  /** By number of claims. */
  readonly #bySize = new Map<number, Set<ClaimHolder<C>>>();
  #most = 0;

  of(accountId: string): ClaimHolder<C> | undefined {
    return this.#holders.get(accountId);
  }

  /** Counts one more claim. */
  add(accountId: string): ClaimHolder<C> {
    const holder = this.#holders.get(accountId) ?? { accountId, answered: new ClaimQueue<C>(), size: 0 };
    if (holder.size === 0) this.#holders.set(accountId, holder);
    this.#resize(holder, holder.size + 1);
    return holder;
  }

  /** Counts one claim less. */
  remove(accountId: string): ClaimHolder<C> | undefined {
    const holder = this.#holders.get(accountId);
    if (holder === undefined) return undefined;
    this.#resize(holder, holder.size - 1);
    if (holder.size === 0) this.#holders.delete(accountId);
    return holder;
  }

  /** One of those with the most claims. */
  largest(): ClaimHolder<C> | undefined {
    return this.#bySize.get(this.#most)?.values().next().value;
  }

  clear(): void {
    this.#holders.clear();
    this.#bySize.clear();
    this.#most = 0;
  }

  #resize(holder: ClaimHolder<C>, size: number): void {
    const before = this.#bySize.get(holder.size);
    before?.delete(holder);
    if (before?.size === 0) this.#bySize.delete(holder.size);
    holder.size = size;
    if (size > 0) {
      const beside = this.#bySize.get(size);
      if (beside === undefined) this.#bySize.set(size, new Set([holder]));
      else beside.add(holder);
    }
    // A step is one claim: the maximum changes by one.
    if (size > this.#most || !this.#bySize.has(this.#most)) this.#most = size;
  }
}

/** Claims in the order in which they were answered; dropped ones are skipped. */
class ClaimQueue<C> {
  #claims: C[] = [];
  #head = 0;

  push(claim: C): void {
    this.#claims.push(claim);
  }

  /** Puts a claim before the first one that is younger. */
  insert(claim: C, isYounger: (one: C) => boolean): void {
    const at = this.#claims.findIndex((one, index) => index >= this.#head && isYounger(one));
    this.#claims.splice(at < 0 ? this.#claims.length : at, 0, claim);
  }

  /** Drops the oldest as long as they are no longer held. */
  dropWhile(gone: (claim: C) => boolean): void {
    while (this.#head < this.#claims.length && gone(this.#claims[this.#head]!)) this.#head += 1;
    if (this.#head < 64 || this.#head * 2 < this.#claims.length) return;
    this.#claims = this.#claims.slice(this.#head);
    this.#head = 0;
  }

  first(held: (claim: C) => boolean): C | undefined {
    this.dropWhile((claim) => !held(claim));
    return this.#claims[this.#head];
  }
}
