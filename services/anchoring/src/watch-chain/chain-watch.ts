import { BackgroundLoop, messageOf } from '@countersign/async';
import type { Chain } from '@countersign/chain';
import type { Logger } from 'pino';

const LOOK_EVERY_MS = 4_000;
/** A look asks the nodes again for a quarter of a minute before it fails. Without an answer for this long, none is reached. */
const SILENT_AFTER_MS = 3_000;
const AGAIN_AFTER_MS = 1_000;
const REPORT_EVERY_MS = 60_000;

export interface ChainWatchOptions {
  chain(): Promise<Pick<Chain, 'time'>>;
  /** Addresses of the nodes, none: the embedded network. What follows their host is logged nowhere, since it holds keys of nodes. */
  readonly urls: readonly string[];
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Hears after each look, and in one that lasts, whether a node answers. */
  readonly reached: (answers: boolean) => void;
  /** Hears the chain's time, ms, at each look where a node says it. */
  readonly sawTime?: (chainMs: number) => void;
  /** Between two looks while a node answers, ms; 4,000 unless given. */
  readonly everyMs?: number;
  /** Into a look, when no node counts as reached, ms; 3,000 unless given. */
  readonly silentAfterMs?: number;
}

/**
 * Looks again and again whether any node of the chain answers, also while this instance stands by: before it is to
 * anchor one should know that it can.
 */
export class ChainWatch {
  readonly #options: ChainWatchOptions;
  readonly #loop: BackgroundLoop;
  readonly #nodes: string;
  #problem: string | null;
  #wasReached = false;
  #reportedMs = -Infinity;

  constructor(options: ChainWatchOptions) {
    this.#options = options;
    this.#nodes = options.urls.map((url) => new URL(url).host).join(', ') || 'the embedded network';
    this.#problem = `waiting for a Solana node at ${this.#nodes}: no answer yet`;
    this.#loop = new BackgroundLoop(
      () => this.#look(),
      (error) => this.#missed(error),
    );
  }

  start(): void {
    this.#loop.poke();
  }

  /** Names the nodes until one has answered for the first time; `null` from then on, also while none answers. */
  firstProblem(): string | null {
    return this.#wasReached ? null : this.#problem;
  }

  /** A look that is under way ends by itself when the chain is closed. */
  stop(): void {
    void this.#loop.stop();
  }

  async #look(): Promise<number> {
    const silent = setTimeout(() => this.#options.reached(false), this.#options.silentAfterMs ?? SILENT_AFTER_MS);
    let seconds: number | null;
    try {
      seconds = await (await this.#options.chain()).time();
    } finally {
      clearTimeout(silent);
    }
    if (seconds !== null) this.#options.sawTime?.(seconds * 1000);
    if (this.#wasReached && this.#problem !== null) this.#options.log.info('a Solana node answers again');
    this.#wasReached = true;
    this.#problem = null;
    this.#reportedMs = -Infinity;
    this.#options.reached(true);
    return this.#options.everyMs ?? LOOK_EVERY_MS;
  }

  #missed(error: unknown): number {
    const why = messageOf(error);
    this.#problem = `waiting for a Solana node at ${this.#nodes}: ${why}`;
    this.#options.reached(false);
    const now = performance.now();
    if (now - this.#reportedMs >= REPORT_EVERY_MS) {
      this.#reportedMs = now;
      this.#options.log.warn({ nodes: this.#nodes, why }, 'no Solana node answers: anchors wait');
    }
    return AGAIN_AFTER_MS;
  }
}
