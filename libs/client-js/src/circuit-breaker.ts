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
    if (!(failures >= 1 && cooldownMs >= 0)) throw new TypeError('circuitBreaker: failures from 1, cooldownMs from 0');
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

  failed(): void {
    this.#isTrying = false;
    this.#inARow += 1;
    if (this.#inARow >= this.#failures) this.#openUntil = this.now() + this.#cooldownMs;
  }
}
