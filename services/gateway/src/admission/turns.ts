/** What {@link Turns} needs of the process. */
export interface TurnsOptions {
  /** A turn this long makes callers wait, ms. */
  readonly longMs: number;
  /** Monotonic, ms. */
  readonly now: () => number;
  /** What is left to be done in a turn in which requests came, as a part of it. */
  readonly lastly?: () => void;
  /** Calls back when the turn is over. */
  readonly afterTurn?: (then: () => void) => void;
}

/** Fewer requests than this in a turn are no crowd: what makes it long then is not helped by turning them away. */
const CROWD = 512;
/** So many times a long turn, and no stall explains it: it takes no more, and turns are kept short from then on. */
const LONGEST = 3;
/** Turns must have been long for so long after the first long one: a stall alone, and what piled up in it, are served. */
const STANDING_MS = 250;
/** While some are turned away a turn takes about so long: who is turned away waits for the end of one. */
const TARGET_MS = 2;
/** This part of the time goes to checks that are taken, however many are turned away. */
const KEPT_PART = 0.25;
/** A turn of so many times the target has met a crowd that waited. */
const BACKLOG = 4;
/** For so long a crowd that waited is turned away first, until checks get their part again. */
const BACKLOG_MS = 2000;
/** How fast a turn may take more again. */
const GROWTH = 1.1;
/** So long without anybody turned away, and everybody is taken again. */
const CALM_MS = 1000;

const LATE = -1;

/**
 * Turns requests away when the event loop cannot keep up. A request waits unseen in its socket until the loop comes by:
 * so a turn's length is what callers wait. When turns stay long, each takes requests for a part of its time only, and
 * what else comes in it is refused, which costs a fraction. The part shrinks and grows until turns are short.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #afterTurn: (then: () => void) => void;
  readonly #end = (): void => {
    this.#options.lastly?.();
    this.#over(this.#options.now());
  };
  #open = false;
  #entered = 0;
  #begunAt = 0;
  #endedAt = 0;
  /** End of the first of the long turns that follow each other, or -1. */
  #longSince = -1;
  #pressed = false;
  #full = false;
  #budgetMs = TARGET_MS;
  #refusedAt = 0;
  /** End of the first of the turns that met a crowd, or -1. */
  #backlogSince = -1;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#afterTurn = options.afterTurn ?? setImmediate;
  }

  /** Whether requests are turned away, or may be in the next turn. */
  get pressed(): boolean {
    return this.#pressed;
  }

  /** For each request: the time, or -1 where this turn takes no more. */
  enter(): number {
    if (this.#full) return LATE;
    const now = this.#options.now();
    if (!this.#open) {
      this.#open = true;
      // Also where nobody came for so long: whoever comes now would be refused for what is over.
      if (now - this.#refusedAt > CALM_MS) this.#pressed = false;
      this.#entered = 0;
      this.#begunAt = now;
      this.#afterTurn(this.#end);
    }
    this.#entered += 1;
    if (now - this.#begunAt <= this.#most()) return now;
    this.#full = true;
    return LATE;
  }

  /** What a first long turn took has yet to be written down, and its deadlines come nearer. */
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
