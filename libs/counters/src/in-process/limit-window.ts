import { minus, NOTHING, UNIT } from '../amount.js';
import type { Amount } from '../amount.js';
import type { HeldAmount, LimitBalance } from '../rule-trip.js';

type Counted = Omit<HeldAmount, 'key'>;

/** Amounts that were counted under one key, in the order of their times, with their sum. */
export class LimitWindow implements Amount {
  /** Time until which it is kept, ms. */
  untilMs = 0;
  units = 0;
  nanos = 0;
  #counted: Counted[] = [];
  #head = 0;

  get count(): number {
    return this.#counted.length - this.#head;
  }

  /** Time of the oldest amount, ms; `null`: none is counted. */
  get oldestMs(): number | null {
    return this.#counted[this.#head]?.atMs ?? null;
  }

  add(one: Counted): void {
    let index = this.#counted.length;
    while (index > this.#head && this.#counted[index - 1]!.atMs > one.atMs) index -= 1;
    if (index === this.#counted.length) this.#counted.push(one);
    else this.#counted.splice(index, 0, one);
    this.#change(one.amount, 1);
  }

  /** Removes the amounts that are `windowMs` old or older; returns their number. */
  trim(nowMs: number, windowMs: number): number {
    const before = this.#head;
    for (;;) {
      const oldest = this.#counted[this.#head];
      if (oldest === undefined || nowMs - oldest.atMs < windowMs) break;
      this.#head += 1;
      this.#change(oldest.amount, -1);
    }
    const removed = this.#head - before;
    if (this.#head >= 64 && this.#head * 2 >= this.#counted.length) {
      this.#counted = this.#counted.slice(this.#head);
      this.#head = 0;
    }
    return removed;
  }

  /**
   * The balance of a window of this length; older amounts stay.
   * @param budget older amounts that may still be read, from which those that are read are taken
   * @returns `null` where there are more of them
   */
  balance(nowMs: number, windowMs: number, budget: { left: number }): LimitBalance | null {
    const newest = this.#counted.at(-1);
    if (newest === undefined || nowMs - newest.atMs >= windowMs) return { consumed: NOTHING, oldestMs: null };
    let at = this.#head;
    let consumed: Amount = { units: this.units, nanos: this.nanos };
    for (; at < this.#counted.length && nowMs - this.#counted[at]!.atMs >= windowMs; at += 1) {
      if (budget.left <= 0) return null;
      budget.left -= 1;
      consumed = minus(consumed, this.#counted[at]!.amount);
    }
    return { consumed, oldestMs: this.#counted[at]?.atMs ?? null };
  }

  /** Removes one amount; `false`: it is not in the window. */
  remove({ order, atMs, amount }: Counted): boolean {
    for (let index = this.#counted.length - 1; index >= this.#head; index -= 1) {
      const one = this.#counted[index]!;
      if (one.atMs < atMs) return false;
      if (one.order !== order || one.atMs !== atMs) continue;
      if (one.amount.units !== amount.units || one.amount.nanos !== amount.nanos) continue;
      this.#counted.splice(index, 1);
      this.#change(amount, -1);
      return true;
    }
    return false;
  }

  #change({ units, nanos }: Amount, sign: 1 | -1): void {
    this.units += sign * units;
    this.nanos += sign * nanos;
    if (this.nanos >= UNIT) {
      this.nanos -= UNIT;
      this.units += 1;
    } else if (this.nanos < 0) {
      this.nanos += UNIT;
      this.units -= 1;
    }
  }
}
