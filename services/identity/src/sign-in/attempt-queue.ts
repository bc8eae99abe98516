import { Semaphore } from '@countersign/async';

/** Passwords that are hashed at once: each takes a core and 32 MiB. */
const AT_ONCE = 2;
const MOST_WAITING = 200;

/** More attempts wait than will be answered in a useful time. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/**
 * Lets attempts in one after another for each address, so that attempts side by side cannot slip past its count of
 * failures, and a few at once over all.
 */
export class AttemptQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #hashing = new Semaphore(AT_ONCE);
  #waiting = 0;

  /** @throws QueueFull, and whatever `attempt` throws */
  async run<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) throw new QueueFull('too many attempts wait');
    this.#waiting += 1;
    const before = this.#last.get(address);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return this.#hashing.run(attempt);
    })();
    this.#last.set(address, turn);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
      if (this.#last.get(address) === turn) this.#last.delete(address);
    }
  }
}
