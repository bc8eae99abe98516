import { MOST_ONCE, ONCE_MS } from '../port.js';
import type { OnceUse, OnceUsed } from '../port.js';

interface Kept {
  readonly by: string | null;
  readonly untilMs: number;
}

/** The names that were used once, oldest first. */
export class UsedOnce {
  readonly #kept = new Map<string, Kept>();
  /** When the counters began to serve. */
  sinceMs = 0;

  constructor(private readonly most = MOST_ONCE) {}

  use({ name, by, madeMs }: OnceUse, nowMs: number): OnceUsed {
    this.#forget(nowMs);
    const kept = this.#kept.get(name);
    if (kept !== undefined) return by !== null && kept.by === by ? 'same' : 'used';
    if (madeMs < this.sinceMs) return 'unknown';
    if (this.#kept.size >= this.most) return 'full';
    this.#kept.set(name, { by, untilMs: nowMs + ONCE_MS });
    return 'first';
  }

  /** All are kept equally long, so the first that stays ends the search. */
  #forget(nowMs: number): void {
    for (const [name, { untilMs }] of this.#kept) {
      if (untilMs > nowMs) return;
      this.#kept.delete(name);
    }
  }
}
