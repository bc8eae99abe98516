import { AddressAllowance, HttpRefusal } from '@countersign/http-edge';

/** Four a second: scripts ask once a second until a transaction is final. */
const A_MINUTE = 240;
const AT_ONCE = 4;
const SECOND_MS = 1000;

/**
 * Limits the look-ups of each account on the chain, by minute and at once, so that no account keeps the nodes from the
 * others.
 */
export class AccountLookups {
  readonly #allowance: AddressAllowance;
  readonly #under = new Map<string, number>();

  /** @param now monotonic, ms */
  constructor(now: () => number = () => performance.now(), perMinute = A_MINUTE) {
    this.#allowance = new AddressAllowance(perMinute, now);
  }

  /** @throws HttpRefusal 429 where the account asks too often, and what `ask` throws */
  async run<T>(accountId: string, ask: () => Promise<T>): Promise<T> {
    const under = this.#under.get(accountId) ?? 0;
    if (under >= AT_ONCE) throw tooMany(SECOND_MS);
    const waitMs = this.#allowance.take(accountId, 1);
    if (waitMs > 0) throw tooMany(waitMs);
    this.#under.set(accountId, under + 1);
    try {
      return await ask();
    } finally {
      const left = this.#under.get(accountId)! - 1;
      if (left === 0) this.#under.delete(accountId);
      else this.#under.set(accountId, left);
    }
  }
}

function tooMany(waitMs: number): HttpRefusal {
  const words = 'this account asks the chain about too many transactions: wait, then try again';
  return new HttpRefusal(429, words, { 'retry-after': String(Math.ceil(waitMs / SECOND_MS)) });
}
