/** A reading that took longer is too inexact. */
const SLOW_MS = 50;

/** The time of Redis by this process's monotonic clock. */
export class RedisTime {
  /** Time of Redis minus the monotonic clock, ms. */
  #offset: number | null = null;

  /**
   * Takes a reading as of the time of its request, so that no call is mistaken for a late one.
   * @param time what `TIME` replied: seconds and microseconds
   */
  follow(time: readonly (number | string)[], askedAt: number, now: number): void {
    if (this.#offset !== null && now - askedAt > SLOW_MS) return;
    this.#offset = Number(time[0]) * 1000 + Number(time[1]) / 1000 - askedAt;
  }

  forget(): void {
    this.#offset = null;
  }

  /** A time of the monotonic clock as Redis time, ms; empty while it is unknown. */
  at(monotonicMs: number): number | '' {
    return this.#offset === null ? '' : Math.ceil(monotonicMs + this.#offset);
  }
}
