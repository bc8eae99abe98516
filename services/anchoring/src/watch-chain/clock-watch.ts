import { EVENT_AHEAD_MS } from '@countersign/contracts';
import type { Logger } from 'pino';
import { AHEAD_OF_CHAIN_MS, type ChainClock } from './chain-clock.js';

const LOG_EVERY_MS = 600_000;

/** Says when a clock was, or is, ahead: the newest event against this machine's clock, and that against the chain's. */
export class ClockWatch {
  readonly #chain: ChainClock;
  readonly #clock: () => number;
  readonly #log: Pick<Logger, 'warn' | 'info'>;
  #newestEventMs = -Infinity;
  #loggedMs = -Infinity;

  constructor(chain: ChainClock, clock: () => number, log: Pick<Logger, 'warn' | 'info'>) {
    this.#chain = chain;
    this.#clock = clock;
    this.#log = log;
  }

  /** An event was taken that happened then, ms. */
  sawEvent(ms: number): void {
    if (ms > this.#newestEventMs) this.#newestEventMs = ms;
  }

  /** How far the newest event lies ahead of the clock, or the clock ahead of the chain, in seconds; 0 where neither does. */
  aheadSeconds(): number {
    const now = this.#clock();
    return Math.max(0, this.#newestEventMs - now, this.#chain.aheadMs(now) ?? 0) / 1000;
  }

  /** Logs at once when a clock is found ahead, every ten minutes while that lasts, and when it is over. */
  look(): void {
    const now = this.#clock();
    const event = this.#newestEventMs - now;
    const chain = this.#chain.aheadMs(now) ?? 0;
    if (event <= EVENT_AHEAD_MS && chain <= AHEAD_OF_CHAIN_MS) {
      if (this.#loggedMs > -Infinity) this.#log.info('no clock is ahead any more');
      this.#loggedMs = -Infinity;
      return;
    }
    if (performance.now() - this.#loggedMs < LOG_EVERY_MS) return;
    this.#loggedMs = performance.now();
    if (chain > AHEAD_OF_CHAIN_MS) {
      this.#log.warn(
        { aheadSeconds: Math.round(chain / 1000) },
        "this machine's clock is ahead of the chain's: set it right; until then windows are named by the chain's time",
      );
    }
    if (event > EVENT_AHEAD_MS) {
      this.#log.warn(
        { aheadSeconds: Math.round(event / 1000), newestEvent: new Date(this.#newestEventMs).toISOString() },
        "the newest event lies ahead of this machine's clock: a clock was ahead, or this one is behind",
      );
    }
  }
}
