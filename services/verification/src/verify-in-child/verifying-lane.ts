import { HttpRefusal } from '@countersign/http-edge';
import type { RawBody } from '@countersign/http-edge';
import { VerifyingProcess, type ProcessLimits, type Surroundings } from './verifying-process.js';

export interface LaneLimits extends ProcessLimits {
  /** Bodies that may wait; one more is refused. */
  readonly waiting: number;
  /** How long a process without work is kept, ms: it holds memory. */
  readonly idleMs: number;
}

/** Bodies of one size, verified one after another in one process, which is started when it is needed. */
export class VerifyingLane {
  readonly #limits: LaneLimits;
  #process: VerifyingProcess | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #idle: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** @throws HttpRefusal 503 where too many wait already, and all that {@link VerifyingProcess.verify} throws */
  verify(body: RawBody, surroundings: Surroundings): Promise<Uint8Array> {
    if (this.#ended || this.#waiting > this.#limits.waiting) {
      const words = 'too many packages are being verified: try again';
      return Promise.reject(new HttpRefusal(503, words, { 'retry-after': '5' }));
    }
    this.#waiting += 1;
    const verified = this.#last.then(() => this.#begin(body, surroundings));
    this.#last = verified.then(
      () => this.#over(),
      () => this.#over(),
    );
    return verified;
  }

  /** Bodies that are being verified or wait get 503. */
  end(): void {
    this.#ended = true;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#process?.end();
  }

  #begin(body: RawBody, surroundings: Surroundings): Promise<Uint8Array> {
    // The client has left.
    if (body.released || this.#ended) return Promise.reject(new HttpRefusal(503, 'not verified: try again'));
    if (this.#idle !== null) clearTimeout(this.#idle);
    if (this.#process === null || this.#process.dead) this.#process = new VerifyingProcess(this.#limits);
    return this.#process.verify(body, surroundings);
  }

  #over(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0 || this.#ended) return;
    this.#idle = setTimeout(() => {
      this.#process?.end();
      this.#process = null;
    }, this.#limits.idleMs);
    this.#idle.unref();
  }
}
