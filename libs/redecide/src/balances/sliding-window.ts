import { isDoubtful } from './counted-check.js';
import type { CountedCheck } from './counted-check.js';

/** The least and the most that a balance can be; `most` `null`: not known. */
export interface Bounds {
  readonly least: bigint;
  readonly most: bigint | null;
}

interface Entry {
  readonly check: CountedCheck;
  readonly amount: bigint;
  /** It may be given back once its action is reported as skipped. */
  readonly reserve: boolean;
  /** Shortest window that was in force since it was counted, ms: older, it may have been dropped. */
  shortestMs: number;
}

/** One sliding window of an agent: amounts that its checks counted, and how much more it may hold. */
export class SlidingWindow {
  #entries: Entry[] = [];
  /** More than the entries; `null`: not known. It can be in the window until it is a window older than `#unknownAtMs`. */
  #excess: bigint | null = null;
  #unknownAtMs: number;
  #unknowns = 0;
  #lengthMs = 0;
  /** Version of the profile of the newest check that was compared or counted; `null`: none was. */
  #version: number | null = null;
  /** Number of entries at which old ones are dropped. */
  #inspectAt = 256;

  /** @param unknownAtMs time until which something may have been counted that the package does not show */
  constructor(unknownAtMs: number) {
    this.#unknownAtMs = unknownAtMs;
  }

  add(check: CountedCheck, amount: bigint, windowMs: number, reserve: boolean): void {
    this.#version = check.version;
    this.#entries.push({ check, amount, reserve, shortestMs: windowMs });
  }

  /**
   * Compares the balance that a check saw, and takes it as the balance from then on.
   * @param unknown how often and until when something unknown was counted
   * @param shortestBetween the shortest window of the versions of the profile between two, ms
   * @returns the bounds that it is outside of; `null`: it is within
   */
  compare(
    check: CountedCheck,
    recorded: bigint,
    windowMs: number,
    unknown: { readonly count: number; readonly atMs: number },
    shortestBetween: (after: number, before: number) => number,
  ): Bounds | null {
    const { atMs } = check;
    const passedMs = this.#version === null ? Infinity : shortestBetween(this.#version, check.version);
    this.#version = check.version;
    if (unknown.count > this.#unknowns || windowMs > this.#lengthMs) this.#excess = null;
    this.#unknowns = unknown.count;
    this.#unknownAtMs = Math.max(this.#unknownAtMs, unknown.atMs);
    this.#lengthMs = windowMs;
    let least = 0n;
    let most: bigint | null = atMs - this.#unknownAtMs < windowMs ? this.#excess : 0n;
    for (const entry of this.#entries) {
      const age = atMs - entry.check.atMs;
      entry.shortestMs = Math.min(entry.shortestMs, passedMs);
      if (age < windowMs) {
        if (most !== null) most += entry.amount;
        const dropped = age >= entry.shortestMs;
        if (!dropped && !isDoubtful(entry.check, check.sequence, entry.reserve)) least += entry.amount;
      }
      entry.shortestMs = Math.min(entry.shortestMs, windowMs);
    }
    this.#forget(atMs);
    if (recorded < least || (most !== null && recorded > most)) {
      this.#excess = recorded > least ? recorded - least : 0n;
      return { least, most };
    }
    this.#excess = recorded - least;
    return null;
  }

  /** Drops what is much older than the window. Where a later window is that long, what it held is not known. */
  #forget(atMs: number): void {
    if (this.#entries.length < this.#inspectAt) return;
    this.#entries = this.#entries.filter(({ check }) => {
      const keep = atMs - check.atMs < 2 * this.#lengthMs;
      if (!keep) this.#unknownAtMs = Math.max(this.#unknownAtMs, check.atMs);
      return keep;
    });
    this.#inspectAt = 2 * this.#entries.length + 256;
  }
}
