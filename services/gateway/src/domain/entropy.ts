import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 16 * 1024;
const ID_BYTES = 10;
const SALT_BYTES = 16;

/** Random material from the system's generator, fetched in blocks: a call to it costs more than a check may. */
export class EntropyPool {
  readonly #pool = Buffer.allocUnsafe(POOL_BYTES);
  #next = POOL_BYTES;

  /** 10 bytes in hex, for an event id. */
  eventId(): string {
    const at = this.#take(ID_BYTES);
    return this.#pool.toString('hex', at, at + ID_BYTES);
  }

  /** 16 bytes in base64url, for one commitment. */
  salt(): string {
    const at = this.#take(SALT_BYTES);
    return this.#pool.toString('base64url', at, at + SALT_BYTES);
  }

  #take(bytes: number): number {
    if (this.#next + bytes > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const at = this.#next;
    this.#next += bytes;
    return at;
  }
}
