import { randomFillSync } from 'node:crypto';
import { approvalId } from '@countersign/contracts';

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

  /** The id of an approval: a UUID v4 (RFC 9562 section 5.4) behind its prefix. */
  approvalId(): string {
    const at = this.#take(SALT_BYTES);
    this.#pool[at + 6] = (this.#pool[at + 6]! & 0x0f) | 0x40;
    this.#pool[at + 8] = (this.#pool[at + 8]! & 0x3f) | 0x80;
    const hex = this.#pool.toString('hex', at, at + SALT_BYTES);
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return approvalId(parts.join('-'));
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
