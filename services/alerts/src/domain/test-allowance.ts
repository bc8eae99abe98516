/** Messages that an account may send by hand within {@link WINDOW_MS}: each connects to a host of its choice. */
export const MOST_TESTS = 10;
const WINDOW_MS = 60_000;

/** Sliding-window limit of test messages, and of those that are sent again, per account and process. */
export class TestAllowance {
  /** Times of its tests, oldest first, by account. */
  readonly #tests = new Map<string, readonly number[]>();

  /** Number of accounts with an entry. */
  get size(): number {
    return this.#tests.size;
  }

  /** @returns ms until the account may send another; 0 if this one is allowed, and counted */
  take(accountId: string, nowMs: number): number {
    this.#forget(nowMs);
    const tests = (this.#tests.get(accountId) ?? []).filter((at) => at > nowMs - WINDOW_MS);
    if (tests.length >= MOST_TESTS) return tests[0]! + WINDOW_MS - nowMs;
    // Moved to the end: the map is ordered by the time of the last test.
    this.#tests.delete(accountId);
    this.#tests.set(accountId, [...tests, nowMs]);
    return 0;
  }

  #forget(nowMs: number): void {
    for (const [accountId, tests] of this.#tests) {
      if (tests.at(-1)! > nowMs - WINDOW_MS) return;
      this.#tests.delete(accountId);
    }
  }
}
