import { isIPv6 } from 'node:net';

const MINUTE_MS = 60_000;
/** Addresses that are counted separately at a time; further addresses share one allowance. */
const MOST_ADDRESSES = 100_000;
const SWEEP_EVERY_MS = 1000;
/** Tolerance for times that are sums of fractions. */
const ROUNDING_MS = 1e-3;
const OTHER_ADDRESSES = 'other addresses';

/**
 * Rate limit for each address. Exact: an allowance starts full and refills evenly, completely within a minute (the generic
 * cell rate algorithm of ITU-T I.371, one number for each address). A refused request takes nothing. An IPv6 address
 * counts as its /64, which one client usually has; any other name, such as an account's id, counts as itself. Each process
 * has its own allowances.
 */
export class AddressAllowance {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #most: number;
  /** The time at which the allowance of an address is full again, ms. */
  readonly #fullAt = new Map<string, number>();
  #sweptAt = -SWEEP_EVERY_MS;

  /** @param now monotonic, ms */
  constructor(perMinute: number, now: () => number = () => performance.now(), most = MOST_ADDRESSES) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#most = most;
  }

  /** @returns 0 if it was taken, else the time in ms after which it can be taken */
  take(address: string, wanted: number): number {
    const now = this.#now();
    const key = this.#keyOf(placeOf(address), now);
    const costMs = (Math.min(wanted, this.#perMinute) / this.#perMinute) * MINUTE_MS;
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, now) + costMs;
    if (fullAt - now > MINUTE_MS + ROUNDING_MS) return fullAt - now - MINUTE_MS;
    this.#fullAt.set(key, fullAt);
    return 0;
  }

  #keyOf(place: string, now: number): string {
    if (this.#fullAt.size < this.#most || this.#fullAt.has(place)) return place;
    if (now - this.#sweptAt >= SWEEP_EVERY_MS) {
      this.#sweptAt = now;
      for (const [kept, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(kept);
    }
    return this.#fullAt.size < this.#most ? place : OTHER_ADDRESSES;
  }
}

/** Returns the address; of IPv6 its first four groups. */
export function placeOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined && groups.length < 4) {
    const after = tail === '' ? [] : tail.split(':');
    // An IPv4 address at the end counts as two groups.
    const known = groups.length + after.length + (tail.includes('.') ? 1 : 0);
    groups.push(...Array.from({ length: 8 - known }, () => '0'), ...after);
  }
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
