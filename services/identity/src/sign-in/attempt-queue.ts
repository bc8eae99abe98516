import { Semaphore } from '@countersign/async';
import { tooMany } from './too-many.js';

/** Concurrent password hashes: each takes a core and 32 MiB. */
const AT_ONCE = 2;
const MOST_WAITING = 200;

/**
 * Runs the attempts of each address one after another, so that concurrent ones cannot evade its failure count, and
 * limits the number of running attempts over all.
 */
export class AttemptQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #hashing = new Semaphore(AT_ONCE);
  #waiting = 0;

  /** @throws HttpRefusal 429 if too many wait, and the errors of `attempt` */
  async run<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) throw tooMany(1);
    this.#waiting += 1;
    const before = this.#last.get(address);
    const running = (async () => {
      await before?.catch(() => undefined);
      return this.#hashing.run(attempt);
    })();
    this.#last.set(address, running);
    try {
      return await running;
    } finally {
      this.#waiting -= 1;
      if (this.#last.get(address) === running) this.#last.delete(address);
    }
  }
}
