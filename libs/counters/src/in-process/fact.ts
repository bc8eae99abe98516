import { MOST_SETTERS } from '../rule-trip.js';

/** The settings of one fact: it is set while one of them has not expired. */
export class Fact {
  /** Time until which it is kept, ms. */
  untilMs = 0;
  /** Latest expiry of the settings that can no longer be reverted. */
  #baseMs = 0;
  #settings: { readonly order: number; readonly expiresAtMs: number }[] = [];

  /** Time until which it is set, ms; `null`: it is not set. */
  setUntilMs(nowMs: number): number | null {
    const untilMs = Math.max(this.#baseMs, ...this.#settings.map(({ expiresAtMs }) => expiresAtMs));
    return untilMs > nowMs ? untilMs : null;
  }

  isSet(nowMs: number): boolean {
    return this.#baseMs > nowMs || this.#settings.some(({ expiresAtMs }) => expiresAtMs > nowMs);
  }

  /** Adds the setting by the check of this order. */
  set(order: number, expiresAtMs: number): void {
    this.#settings.push({ order, expiresAtMs });
    if (this.#settings.length <= MOST_SETTERS) return;
    this.#baseMs = Math.max(this.#baseMs, this.#settings.shift()?.expiresAtMs ?? 0);
  }

  revert(order: number): void {
    this.#settings = this.#settings.filter((one) => one.order !== order);
  }
}
