import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@countersign/async';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
const REPORT_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 25;

/** Names of errors that another attempt cannot solve: the operator must change something. */
const FINAL = new Set([
  'ConfigurationError',
  'LogDamaged',
  'StoreDamaged',
  'SyntaxError',
  'TypeError',
  'ReferenceError',
]);

/** Servers and services that a start waits for, and the reasons why. */
export class Waiting {
  readonly #log: Logger;
  readonly #signal: AbortSignal | null;
  readonly #waitingFor = new Map<string, string>();

  /** @param signal aborts all waiting, with its reason */
  constructor(log: Logger, signal: AbortSignal | null = null) {
    this.#log = log;
    this.#signal = signal;
  }

  /** Reasons for readiness, one for each thing waited for. */
  problems(): readonly string[] {
    return [...this.#waitingFor].map(([what, why]) => `waiting for ${what}: ${why}`);
  }

  /**
   * Repeats `attempt` until it succeeds, and resolves with its result; readiness and log name `what` in the meantime.
   * @throws the error of an attempt that waiting cannot solve; the reason of the signal
   */
  async until<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    let reportedAt = Number.NEGATIVE_INFINITY;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      this.#signal?.throwIfAborted();
      try {
        const result = await attempt();
        if (this.#waitingFor.delete(what)) this.#log.info(`${what} is there`);
        return result;
      } catch (error) {
        if (error instanceof Error && FINAL.has(error.name)) throw error;
        const why = messageOf(error);
        this.#waitingFor.set(what, why);
        if (performance.now() - reportedAt > REPORT_EVERY_MS) {
          reportedAt = performance.now();
          this.#log.warn({ why }, `waiting for ${what}`);
        }
      }
      await this.#pause(pause);
    }
  }

  /**
   * Resolves when `problems` returns none.
   * @throws the reason of the signal
   */
  async untilNone(problems: () => readonly string[]): Promise<void> {
    for (;;) {
      this.#signal?.throwIfAborted();
      if (problems().length === 0) return;
      await this.#pause(LOOK_EVERY_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, this.#signal === null ? {} : { signal: this.#signal }).catch(() => undefined);
  }
}
