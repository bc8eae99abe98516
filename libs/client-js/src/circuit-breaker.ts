import { requireNumber } from './check-options.js';
import { CountersignError } from './errors.js';

export interface CircuitBreakerOptions {
  /** Calls in a row without a decision, after which the service is left alone. Default 5. */
  readonly failures?: number;
  /** For how long, milliseconds; then one call tries again. Default 10,000. */
  readonly cooldownMs?: number;
}

/** Leaves a service alone that did not decide several times in a row. */
export class CircuitBreaker {
  readonly #failures: number;
  readonly #cooldownMs: number;
  #inARow = 0;
  #lastFailure = '';
  #openUntil = 0;
  #isTrying = false;

  /**
   * @param now milliseconds of a clock that never goes back
   * @throws TypeError where an option is out of range
   */
  constructor(
    { failures = 5, cooldownMs = 10_000 }: CircuitBreakerOptions,
    private readonly now: () => number = () => performance.now(),
  ) {
    requireNumber('circuitBreaker.failures', failures, (value) => value >= 1, 'a number from 1');
    requireNumber('circuitBreaker.cooldownMs', cooldownMs, (value) => value >= 0, 'milliseconds from 0');
    this.#failures = failures;
    this.#cooldownMs = cooldownMs;
  }

  /** Whether a call may be sent; one that may has to tell how it ended. */
  admits(): boolean {
    if (this.#inARow < this.#failures) return true;
    if (this.#isTrying || this.now() < this.#openUntil) return false;
    this.#isTrying = true;
    return true;
  }

  /** There was a decision, or the caller gave up: that says nothing against the service. */
  ended(decided: boolean): void {
    this.#isTrying = false;
    if (decided) this.#inARow = 0;
  }

  /** What is answered in place of a call that is not admitted: why, and when the service is asked again. */
  error(): CountersignError {
    const waitMs = Math.max(0, this.#openUntil - this.now());
    const next = this.#isTrying ? 'once the attempt under way has ended' : `in ${(waitMs / 1000).toFixed(1)} s`;
    const why = this.#lastFailure === '' ? '' : `; the last one: ${this.#lastFailure}`;
    const words = `the service did not decide ${this.#inARow} times in a row${why === '' ? '.' : why} It is asked again ${next}`;
    return new CountersignError('circuit_open', words, { retryAfterMs: waitMs });
  }

  /** @param why in words, with or without a full stop */
  failed(why: string): void {
    this.#isTrying = false;
    this.#lastFailure = /[.!?]$/u.test(why) ? why : `${why}.`;
    this.#inARow += 1;
    if (this.#inARow >= this.#failures) this.#openUntil = this.now() + this.#cooldownMs;
  }
}
