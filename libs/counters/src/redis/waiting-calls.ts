/** A call to Redis whose reply is awaited. */
export interface WaitingCall {
  /** By the monotonic clock. */
  readonly deadlineAt: number;
  over: boolean;
  /** Called once when the deadline passes before `over`. */
  readonly expired: () => void;
}

/** So often what is over is let go, ms, before the collector takes it for long-lived. */
const SWEEP_MS = 10;

/** Deadlines of calls that all wait equally long: one queue, one timer. */
export class WaitingCalls {
  readonly #now: () => number;
  #calls: WaitingCall[] = [];
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(call: WaitingCall): void {
    if (this.#stopped) return;
    this.#calls.push(call);
    if (this.#timer === null) this.#arm(call);
  }

  /** Calls expire no more. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#calls = [];
  }

  #arm(call: WaitingCall): void {
    const left = Math.max(1, Math.ceil(call.deadlineAt - this.#now()));
    this.#timer = setTimeout(() => this.#look(), Math.min(left, SWEEP_MS));
  }

  #look(): void {
    const now = this.#now();
    for (const call of this.#calls) {
      if (call.over) continue;
      if (call.deadlineAt > now) break;
      call.over = true;
      call.expired();
    }
    if (this.#stopped) return;
    this.#calls = this.#calls.filter(({ over }) => !over);
    this.#timer = null;
    const [next] = this.#calls;
    if (next !== undefined) this.#arm(next);
  }
}
