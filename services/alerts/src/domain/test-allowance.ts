/** Test messages that an account may send within {@link WINDOW_MS}: a connection to a host of its choice each. */
export const MOST_TESTS = 10;
const WINDOW_MS = 60_000;

/** How many test messages each account sent of late, in a window that slides. Of one process: others count for themselves. */
export class TestAllowance {
  /** Of an account: when its tests were, oldest first. */
  readonly #tests = new Map<string, readonly number[]>();

  /** Accounts that it holds anything of. */
  get size(): number {
    return this.#tests.size;
  }

  /** @returns ms until the account may send another; 0 when this one may go, and is counted */
  take(accountId: string, nowMs: number): number {
    this.#forget(nowMs);
    const tests = (this.#tests.get(accountId) ?? []).filter((at) => at > nowMs - WINDOW_MS);
    if (tests.length >= MOST_TESTS) return tests[0]! + WINDOW_MS - nowMs;
    // At the end of the map: what comes first in it was longest without a test.
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
