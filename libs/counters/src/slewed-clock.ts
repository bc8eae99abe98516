/** Further behind the wall clock than this, it jumps forward, ms. */
const JUMP_MS = 1000;
/** It never starts further ahead of the wall clock than this, ms. */
const FARTHEST_AHEAD_MS = 86_400_000;

/** Source of the counters' time. */
export interface CountersClock {
  /** Whole ms since the epoch; never decreases. */
  now(): number;
  /** Keeps the clock from falling behind what was recorded before a restart. */
  notBefore(ms: number): void;
}

/**
 * Follows the monotonic clock, so that no step of the wall clock stops or reverses it. When the wall clock is more than
 * a second ahead, it jumps forward to it; when the wall clock is behind, it runs at half speed until they meet.
 */
export class SlewedClock implements CountersClock {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  #time: number;
  #read: number;

  constructor(wall: () => number = () => Date.now(), monotonic: () => number = () => performance.now()) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#time = wall();
    this.#read = monotonic();
  }

  now(): number {
    return Math.floor(this.#advance());
  }

  /** More than a day ahead of the wall clock, a recorded time is attributed to a clock error and ignored. */
  notBefore(ms: number): void {
    if (ms > this.#advance() && ms <= this.#wall() + FARTHEST_AHEAD_MS) this.#time = ms;
  }

  #advance(): number {
    const read = this.#monotonic();
    const passed = Math.max(0, read - this.#read);
    const wall = this.#wall();
    this.#read = read;
    const ahead = this.#time + passed - wall;
    if (ahead < -JUMP_MS) this.#time = wall;
    else if (ahead <= 0) this.#time += passed;
    else this.#time = Math.max(this.#time + passed / 2, Math.min(this.#time + passed, wall));
    return this.#time;
  }
}
