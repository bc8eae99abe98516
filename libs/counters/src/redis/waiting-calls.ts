/** A call to Redis whose reply is awaited. */
export interface WaitingCall {
  /** By the monotonic clock. */
  readonly deadlineAt: number;
  over: boolean;
  /** Called once when the deadline passes before `over`. */
  readonly expired: () => void;
}

/** Deadlines of calls that all wait equally long: one queue, one timer. */
export class WaitingCalls {
  readonly #now: () => number;
  #calls: WaitingCall[] = [];
  #first = 0;
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
    this.#first = 0;
  }

  #arm(call: WaitingCall): void {
    this.#timer = setTimeout(() => this.#look(), Math.max(1, Math.ceil(call.deadlineAt - this.#now())));
  }

  #look(): void {
    this.#timer = null;
    const now = this.#now();
    for (; this.#first < this.#calls.length; this.#first += 1) {
      const call = this.#calls[this.#first]!;
      if (call.over) continue;
      if (call.deadlineAt > now) break;
      call.over = true;
      call.expired();
    }
    this.#calls.splice(0, this.#first);
    this.#first = 0;
    const next = this.#calls[0];
    if (next !== undefined) this.#arm(next);
  }
}
