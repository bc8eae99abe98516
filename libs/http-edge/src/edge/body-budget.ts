/**
 * Limit of the bytes of bodies that all requests together hold in memory, however many clients send. One holder may take
 * only a part of it, so that a client that never completes its bodies does not block the others.
 */
export class BodyBudget {
  #free: number;
  readonly #mostOfOne: number;
  readonly #held = new Map<string, number>();

  /** @param mostOfOne bytes that one holder may hold */
  constructor(bytes: number, mostOfOne = bytes) {
    this.#free = bytes;
    this.#mostOfOne = mostOfOne;
  }

  get free(): number {
    return this.#free;
  }

  /** Opens the share of one request, empty at first. @param holder an account, or the address of a caller without one */
  share(holder: string): BodyShare {
    let held = 0;
    return {
      take: (bytes) => {
        const all = (this.#held.get(holder) ?? 0) + bytes;
        if (bytes > this.#free || all > this.#mostOfOne) return false;
        this.#free -= bytes;
        this.#held.set(holder, all);
        held += bytes;
        return true;
      },
      giveBack: () => {
        if (held === 0) return;
        this.#free += held;
        const left = this.#held.get(holder)! - held;
        if (left > 0) this.#held.set(holder, left);
        else this.#held.delete(holder);
        held = 0;
      },
    };
  }
}

export interface BodyShare {
  /** Takes bytes. `false`: the budget has less, and nothing was taken. */
  take(bytes: number): boolean;
  /** Returns all bytes to the budget; idempotent. */
  giveBack(): void;
}
