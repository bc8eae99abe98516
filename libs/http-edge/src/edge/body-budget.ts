/**
 * Bytes of bodies that may be held at once by all requests together: no number of senders takes more memory. Nor does one
 * holder take more than a part of them: whoever sends bodies and never ends them shuts nobody else out.
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

  /** The part of one request, nothing at first. @param holder an account, or the address of a caller without one */
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
  /** `false`: there is not so much, and nothing was taken. */
  take(bytes: number): boolean;
  /** All that was taken; a second time it is nothing. */
  giveBack(): void;
}
