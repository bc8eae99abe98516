/** So far the clock may be ahead of the chain's: blocks come late, and their time is whole seconds. */
export const AHEAD_OF_CHAIN_MS = 60_000;
/** So long after the start the chain may be asked for its time first. */
const FIRST_ANSWER_MS = 5_000;

/** The chain's time, as its newest block said it, going on with the monotonic clock. */
export class ChainClock {
  readonly #monotonic: () => number;
  readonly #begunMs: number;
  #seen: { readonly chainMs: number; readonly atMs: number } | null = null;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
    this.#begunMs = monotonic();
  }

  /** The chain has just said this time, ms. */
  saw(chainMs: number): void {
    this.#seen = { chainMs, atMs: this.#monotonic() };
  }

  /** By how much a clock that says `clockMs` is ahead of the chain's; `null` before the chain has said a time. */
  aheadMs(clockMs: number): number | null {
    return this.#seen === null ? null : clockMs - this.#now(this.#seen);
  }

  /**
   * The time by which windows are named: the clock's, or the chain's where the clock is further ahead of it than blocks
   * come late. A window must not end later than the block that holds its root. `null` for some seconds after the start
   * while the chain has said none; a chain that stays out of reach holds up no window.
   */
  labelTime(clockMs: number): number | null {
    const ahead = this.aheadMs(clockMs);
    if (ahead === null) return this.#monotonic() - this.#begunMs < FIRST_ANSWER_MS ? null : clockMs;
    return ahead > AHEAD_OF_CHAIN_MS ? clockMs - ahead : clockMs;
  }

  #now({ chainMs, atMs }: { readonly chainMs: number; readonly atMs: number }): number {
    return chainMs + Math.max(0, this.#monotonic() - atMs);
  }
}
