/** Checks of one account in the measured spans. */
interface Asked {
  taken: number;
  asked: number;
}

const SPAN_MS = 500;
/** Part of an equal share that an account is owed, so that of n accounts that all flood none is. */
const OWED = 1 / 2;
/** The same while those above an equal share are refused first: what is admitted in addition is at most three times the rest. */
const OWED_WHEN_STARVED = 3 / 4;
/** Accounts beyond this number in a span are counted together. */
const MOST_ACCOUNTS = 10_000;
const EVERYBODY_ELSE = '';

/**
 * The number of checks of each account in about the last second. While checks are load-shed, an account that was given
 * less than half of an equal share is owed its checks: another account's flood does not shed them. Where one that was given
 * less than an equal share was refused nevertheless, those that were given more are refused before it.
 */
export class AccountShares {
  readonly #now: () => number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #before = new Map<string, Asked>();
  #current = new Map<string, Asked>();
  #taken = 0;
  #takenBefore = 0;
  /** A check of an account was refused in the span that had less than an equal share. */
  #isStarved = false;
  #wasStarved = false;

  /** @param now monotonic, ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A check of the account arrived. @returns whether it is admitted although others are load-shed */
  owed(accountId: string): boolean {
    this.#of(accountId).asked += 1;
    const shares = this.#equalShares(accountId);
    if (shares < (this.#isStarved || this.#wasStarved ? OWED_WHEN_STARVED : OWED)) return true;
    if (shares < 1) this.#isStarved = true;
    return false;
  }

  /** Reports whether the account was given more than an equal share, while another one asks. */
  isAbove(accountId: string): boolean {
    return this.#equalShares(accountId) > 1;
  }

  /** A check of the account arrived. @returns whether it is refused because others were, that had less than the account */
  exceeds(accountId: string): boolean {
    const current = this.#of(accountId);
    if (!(this.#isStarved || this.#wasStarved) || this.#equalShares(accountId) <= 1) return false;
    current.asked += 1;
    return true;
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

  /** How many equal shares the account was given. */
  #equalShares(accountId: string): number {
    const accounts = Math.max(this.#current.size, this.#before.size);
    const all = this.#taken + this.#takenBefore;
    if (accounts < 2 || all === 0) return 1;
    const taken = (this.#current.get(accountId)?.taken ?? 0) + (this.#before.get(accountId)?.taken ?? 0);
    return (taken * accounts) / all;
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
    this.#wasStarved = recent && this.#isStarved;
    this.#isStarved = false;
    this.#current = new Map();
    this.#taken = 0;
    this.#begunAt = now;
  }
}
