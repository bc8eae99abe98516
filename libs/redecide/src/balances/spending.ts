import { isDoubtful } from './counted-check.js';
import type { CountedCheck } from './counted-check.js';
import type { Bounds } from './sliding-window.js';

const MOST_MICROS = BigInt(Number.MAX_SAFE_INTEGER);

/** The spending of an agent in one calendar window, `day` or `month` (UTC), as far as it is known. */
export class Spending {
  /** Checks of the period whose cost may have been taken back. */
  #doubts: CountedCheck[] = [];
  #period = '';
  /** Balance after the last check. */
  #value = 0n;
  #costUnknown = false;
  /** Amount by which the balance was lower than the costs, so far. */
  #taken = 0n;
  /** Amount that it may be lower, in addition to doubtful costs. */
  #loose = 0n;
  /** Balance that the first check saw, and its period: part of it may be returned by outcomes of checks before the package. */
  #before: { readonly period: string; readonly value: bigint } | null = null;

  constructor(
    private readonly window: 'day' | 'month',
    /** Places of outcomes that name a check whose cost is not known. */
    private readonly unknownReturns: readonly number[],
  ) {}

  /** As `SlidingWindow.compare`. @param unknown something unknown lies between this check and the one before */
  compare(check: CountedCheck, unknown: boolean): Bounds | null {
    const recorded = BigInt(check.context.seen.spent[this.window]);
    const period = new Date(check.atMs).toISOString().slice(0, this.window === 'day' ? 10 : 7);
    const first = this.#period === '';
    if (period !== this.#period) {
      this.#doubts = [];
      this.#value = 0n;
      this.#taken = 0n;
      this.#loose = 0n;
      this.#period = period;
    }
    this.#before ??= { period, value: recorded };
    const open = first || unknown || this.#costUnknown;
    const expected = this.#value > MOST_MICROS ? MOST_MICROS : this.#value;
    const spare = this.#doubtful(check.sequence) - this.#taken;
    const lower = (spare > 0n ? spare : 0n) + this.#loose + this.#returned(check.sequence, period);
    const least = first || expected < lower ? 0n : expected - lower;
    const bounds: Bounds = { least, most: open ? null : expected };
    const breaks = recorded < least || (!open && recorded > expected);
    if (recorded < expected) this.#taken += expected - recorded;
    if (open && !first && recorded > expected) this.#loose += recorded - expected;
    this.#count(check, recorded);
    return breaks ? bounds : null;
  }

  #count(check: CountedCheck, recorded: bigint): void {
    this.#costUnknown = check.costMicros === null;
    this.#value = recorded + BigInt(check.costMicros ?? 0);
    if ((check.costMicros ?? 0) > 0 && (check.unanswered || check.skippedAt !== null)) this.#doubts.push(check);
  }

  #doubtful(sequence: number): bigint {
    return this.#doubts.reduce(
      (sum, one) => (isDoubtful(one, sequence, true) ? sum + BigInt(one.costMicros ?? 0) : sum),
      0n,
    );
  }

  #returned(sequence: number, period: string): bigint {
    if (this.#before?.period !== period || !this.unknownReturns.some((place) => place < sequence)) return 0n;
    return this.#before.value;
  }
}
