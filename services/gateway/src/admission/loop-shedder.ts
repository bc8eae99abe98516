/** The parts of the process that {@link LoopShedder} uses. */
export interface LoopShedderOptions {
  /** A tick this long delays clients, ms. */
  readonly longMs: number;
  /** Monotonic, ms. */
  readonly now: () => number;
  /** Remaining work of a tick with requests, as a fraction of it. */
  readonly lastly?: () => void;
  /** Calls back when the tick is over. */
  readonly afterTick?: (then: () => void) => void;
}

/** Fewer requests than this in a tick are not a crowd: shedding them would not shorten it. */
const CROWD = 512;
/**
 * A tick of this many times the long one is not explained by a stall: it takes no more, and ticks are kept short from
 * then on.
 */
const LONGEST = 3;
/** Time for which ticks must have been long after the first long one: a single stall, and its backlog, are served. */
const STANDING_MS = 250;
/** Approximate length of a tick while load is shed: a shed request waits for the end of one. */
const TARGET_MS = 2;
/** Part of the time that is reserved for admitted checks, however many are shed. */
const KEPT_PART = 0.25;
/** A tick of this many times the target has met a backlog. */
const BACKLOG = 4;
/** Time for which a backlog is shed first, until checks get their part again. */
const BACKLOG_MS = 2000;
/** Growth factor of the time for checks. */
const GROWTH = 1.1;
/** Time without a shed request after which all are admitted again. */
const CALM_MS = 1000;

const LATE = -1;

/**
 * Sheds load when the event loop cannot keep up. A request waits unseen in its socket until the loop reads it: so the
 * length of a tick is what clients wait. When ticks stay long, each admits requests for only a part of its time, and
 * the rest is refused, which costs a fraction. The part shrinks and grows until ticks are short.
 */
export class LoopShedder {
  readonly #options: LoopShedderOptions;
  readonly #afterTick: (then: () => void) => void;
  readonly #end = (): void => {
    this.#options.lastly?.();
    this.#over(this.#options.now());
  };
  #open = false;
  #entered = 0;
  #begunAt = 0;
  #endedAt = 0;
  /** End of the first of consecutive long ticks, or -1. */
  #longSince = -1;
  #pressed = false;
  #full = false;
  #budgetMs = TARGET_MS;
  #refusedAt = 0;
  /** End of the first of the ticks that met a crowd, or -1. */
  #backlogSince = -1;

  constructor(options: LoopShedderOptions) {
    this.#options = options;
    this.#afterTick = options.afterTick ?? setImmediate;
  }

  /** True while requests are shed, or may be in the next tick. */
  get pressed(): boolean {
    return this.#pressed;
  }

  /** For each request: the time, or -1 where this tick admits no more. */
  enter(): number {
    if (this.#full) return LATE;
    const now = this.#options.now();
    if (!this.#open) {
      this.#open = true;
      // Also after a time without requests: the next one would be refused for a load that has ended.
      if (now - this.#refusedAt > CALM_MS) this.#pressed = false;
      this.#entered = 0;
      this.#begunAt = now;
      this.#afterTick(this.#end);
    }
    this.#entered += 1;
    if (now - this.#begunAt <= this.#most()) return now;
    this.#full = true;
    return LATE;
  }

  /** The events of the first long tick are not appended yet, and their deadlines approach. */
  #most(): number {
    if (this.#pressed) return this.#budgetMs;
    return this.#entered < CROWD ? Number.POSITIVE_INFINITY : LONGEST * this.#options.longMs;
  }

  #over(now: number): void {
    const full = this.#full;
    const lasted = now - this.#begunAt;
    const idled = this.#begunAt - this.#endedAt;
    this.#open = this.#full = false;
    this.#endedAt = now;
    if (this.#pressed) this.#adapt(now, lasted, full);
    else if (full) this.#press(now);
    else this.#watch(now, lasted, idled);
  }

  #watch(now: number, lasted: number, idled: number): void {
    const { longMs } = this.#options;
    if (lasted < longMs || this.#entered < CROWD) this.#longSince = -1;
    else if (this.#longSince < 0 || idled > longMs) this.#longSince = now;
    else if (now - this.#longSince >= STANDING_MS) this.#press(now);
  }

  #press(now: number): void {
    this.#pressed = true;
    this.#budgetMs = TARGET_MS;
    this.#refusedAt = now;
    this.#longSince = this.#backlogSince = -1;
  }

  #adapt(now: number, lasted: number, full: boolean): void {
    if (full) this.#refusedAt = now;
    if (lasted <= BACKLOG * TARGET_MS) this.#backlogSince = -1;
    else if (this.#backlogSince < 0) this.#backlogSince = now;
    const drains = this.#backlogSince >= 0 && now - this.#backlogSince < BACKLOG_MS;
    const kept = KEPT_PART * (drains ? TARGET_MS : Math.max(lasted, TARGET_MS));
    const budget = this.#budgetMs * (lasted > TARGET_MS ? TARGET_MS / lasted : GROWTH);
    this.#budgetMs = Math.max(kept, Math.min(TARGET_MS, budget));
  }
}
