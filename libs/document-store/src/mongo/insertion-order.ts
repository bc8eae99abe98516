import { randomBytes } from 'node:crypto';

/** Names that sort by the time at which they were made; those of one process by the order in which they were made. */
export class InsertionOrder {
  readonly #process = randomBytes(6).toString('hex');
  #ms = 0;
  #count = 0;

  /** @param now ms */
  constructor(private readonly now: () => number = Date.now) {}

  next(): string {
    const ms = this.now();
    this.#count = ms > this.#ms ? 0 : this.#count + 1;
    this.#ms = Math.max(this.#ms, ms);
    return `${String(this.#ms).padStart(15, '0')}-${String(this.#count).padStart(9, '0')}-${this.#process}`;
  }
}
