/** Checks of one account in the measured spans. */
interface Asked {
  taken: number;
  asked: number;
}

const SPAN_MS = 500;
/** Accounts beyond this number in a span are counted together. */
const MOST_ACCOUNTS = 10_000;
const EVERYBODY_ELSE = '';

/**
 * The number of checks of each account in about the last second. While checks are load-shed, an account that was given
 * less than half of an equal share is owed its checks: another account's flood does not shed them.
 */
export class AccountShares {
  readonly #now: () => number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #before = new Map<string, Asked>();
  #current = new Map<string, Asked>();
  #taken = 0;
  #takenBefore = 0;

  /** @param now monotonic, ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A check of the account arrived. @returns whether it is admitted although others are load-shed */
  owed(accountId: string): boolean {
    const current = this.#of(accountId);
    current.asked += 1;
    const before = this.#before.get(accountId)?.taken ?? 0;
    const accounts = Math.max(this.#current.size, this.#before.size);
    return accounts > 1 && (current.taken + before) * 2 * accounts < this.#taken + this.#takenBefore;
  }

  /** A check of the account is judged. */
  took(accountId: string): void {
    this.#of(accountId).taken += 1;
    this.#taken += 1;
  }

  /** The accounts with the most checks, most first. */
  busiest(count: number): readonly { readonly accountId: string; readonly checks: number }[] {
    return [...this.#current]
      .filter(([accountId]) => accountId !== EVERYBODY_ELSE)
      .map(([accountId, { asked, taken }]) => ({ accountId, checks: Math.max(asked, taken) }))
      .sort((a, b) => b.checks - a.checks)
      .slice(0, count);
  }

  #of(accountId: string): Asked {
    const now = this.#now();
    if (now - this.#begunAt >= SPAN_MS) this.#begin(now);
    const key = this.#current.size < MOST_ACCOUNTS || this.#current.has(accountId) ? accountId : EVERYBODY_ELSE;
    let asked = this.#current.get(key);
    if (asked === undefined) this.#current.set(key, (asked = { taken: 0, asked: 0 }));
    return asked;
  }

  #begin(now: number): void {
    const recent = now - this.#begunAt < 2 * SPAN_MS;
    this.#before = recent ? this.#current : new Map<string, Asked>();
    this.#takenBefore = recent ? this.#taken : 0;
    this.#current = new Map();
    this.#taken = 0;
    this.#begunAt = now;
  }
}
