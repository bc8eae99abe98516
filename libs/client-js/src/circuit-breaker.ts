import { requireNumber } from './check-options.js';
import { CountersignError } from './errors.js';

export interface CircuitBreakerOptions {
  /** Consecutive calls without a decision after which the circuit opens. Default 5. */
  readonly failures?: number;
  /** Milliseconds that it stays open; then one call is sent as a trial. Default 10,000. */
  readonly cooldownMs?: number;
}

/** Sends no calls for some time after several consecutive ones without a decision. */
export class CircuitBreaker {
  readonly #failures: number;
  readonly #cooldownMs: number;
  #inARow = 0;
  #lastFailure = '';
  #openUntil = 0;
  #isTrying = false;

  /**
   * @param now milliseconds of a monotonic clock
   * @throws TypeError if an option is out of range
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

  /** True if a call may be sent; its end has to be reported by `ended` or `failed`. */
  admits(): boolean {
    if (this.#inARow < this.#failures) return true;
    if (this.#isTrying || this.now() < this.#openUntil) return false;
    this.#isTrying = true;
    return true;
  }

  /** Ends a call with a decision, or one that the caller cancelled. */
  ended(decided: boolean): void {
    this.#isTrying = false;
    if (decided) this.#inARow = 0;
  }

  /** Error of a call that is not admitted: the reason, and the time of the next call. */
  error(): CountersignError {
    const waitMs = Math.max(0, this.#openUntil - this.now());
    const next = this.#isTrying ? 'once the attempt under way has ended' : `in ${(waitMs / 1000).toFixed(1)} s`;
    const why = this.#lastFailure === '' ? '' : `; the last one: ${this.#lastFailure}`;
    const words = `the service did not decide ${this.#inARow} times in a row${why === '' ? '.' : why} It is asked again ${next}`;
    return new CountersignError('circuit_open', words, { retryAfterMs: waitMs });
  }

  /** @param why the reason, with or without a full stop */
  failed(why: string): void {
    this.#isTrying = false;
    this.#lastFailure = /[.!?]$/u.test(why) ? why : `${why}.`;
    this.#inARow += 1;
    if (this.#inARow >= this.#failures) this.#openUntil = this.now() + this.#cooldownMs;
  }
}
