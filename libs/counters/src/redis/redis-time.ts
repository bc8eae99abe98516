/** A slower reading of the time says too little. */
const SLOW_MS = 50;

/** The time of Redis by this process's monotonic clock. */
export class RedisTime {
  /** Time of Redis minus the monotonic clock, ms. */
  #offset: number | null = null;

  /**
   * Takes a reading as of when it was asked for, so that no call is taken for one that came too late.
   * @param time what `TIME` replied: seconds and microseconds
   */
  follow(time: readonly (number | string)[], askedAt: number, now: number): void {
    if (this.#offset !== null && now - askedAt > SLOW_MS) return;
    this.#offset = Number(time[0]) * 1000 + Number(time[1]) / 1000 - askedAt;
  }

  forget(): void {
    this.#offset = null;
  }

  /** A time of the monotonic clock by that of Redis, ms; empty while it is not known. */
  at(monotonicMs: number): number | '' {
    return this.#offset === null ? '' : Math.ceil(monotonicMs + this.#offset);
  }
}
