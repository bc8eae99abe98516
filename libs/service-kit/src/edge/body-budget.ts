/** Bytes of bodies that may be held at once by all requests together: no number of senders takes more memory. */
export class BodyBudget {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  get free(): number {
    return this.#free;
  }

  /** The part of one request, nothing at first. */
  share(): BodyShare {
    let held = 0;
    return {
      take: (bytes) => {
        if (bytes > this.#free) return false;
        this.#free -= bytes;
        held += bytes;
        return true;
      },
      giveBack: () => {
        this.#free += held;
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
