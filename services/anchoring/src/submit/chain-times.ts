import type { Chain } from '@countersign/chain';

/** Says which ends of windows the chain's own time has reached: a root must not stand in a block before its window's end. */
export class ChainTimes {
  readonly #chain: Pick<Chain, 'time'>;
  readonly #saw: (chainMs: number) => void;
  #newestMs = -Infinity;

  /** @param saw hears each time that the chain says, ms */
  constructor(chain: Pick<Chain, 'time'>, saw: (chainMs: number) => void) {
    this.#chain = chain;
    this.#saw = saw;
  }

  /**
   * Resolves with `true` when every later block has this time or a later one; asks the chain where that is not known yet. A chain that says
   * no time is taken to have reached it.
   * @throws ChainUnavailable
   */
  readonly reached = async (ms: number): Promise<boolean> => {
    if (ms <= this.#newestMs) return true;
    const seconds = await this.#chain.time();
    if (seconds === null) return true;
    this.#newestMs = Math.max(this.#newestMs, seconds * 1000);
    this.#saw(seconds * 1000);
    return ms <= this.#newestMs;
  };
}
