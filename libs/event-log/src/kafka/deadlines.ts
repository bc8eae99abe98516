import type { AppendCall } from './append-call.js';

/** Ends the calls whose time is over. All calls have the same time, so they come due in their order. */
export class Deadlines {
  readonly #expired: (calls: readonly AppendCall[]) => void;
  #calls: AppendCall[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** `expired` hears of the calls that are due and not answered. */
  constructor(expired: (calls: readonly AppendCall[]) => void) {
    this.#expired = expired;
  }

  add(call: AppendCall): void {
    if (this.#calls.push(call) === 1) this.#watch();
  }

  /** Resolves when every call has been answered or has come due. */
  async over(): Promise<void> {
    await Promise.allSettled(this.#calls.map((call) => call.promise));
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #watch(): void {
    const first = this.#calls[0];
    if (first === undefined) return;
    this.#timer = setTimeout(() => this.#come(), Math.max(1, first.deadlineMs - performance.now()));
  }

  #come(): void {
    const now = performance.now();
    const due: AppendCall[] = [];
    let done = 0;
    for (; done < this.#calls.length; done++) {
      const call = this.#calls[done]!;
      if (call.settled) continue;
      if (call.deadlineMs > now) break;
      due.push(call);
    }
    this.#calls = this.#calls.slice(done);
    if (due.length > 0) this.#expired(due);
    this.#watch();
  }
}
