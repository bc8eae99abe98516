import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@countersign/async';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
const TELL_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 25;

/** Errors that waiting does not mend: what they say must be changed. */
const FINAL = new Set([
  'ConfigurationError',
  'LogDamaged',
  'StoreDamaged',
  'SyntaxError',
  'TypeError',
  'ReferenceError',
]);

/** What a start waits for. */
export class Waiting {
  readonly #log: Logger;
  readonly #signal: AbortSignal | null;
  readonly #waitingFor = new Map<string, string>();

  /** @param signal aborted: whoever waits gives up with its reason */
  constructor(log: Logger, signal: AbortSignal | null = null) {
    this.#log = log;
    this.#signal = signal;
  }

  /** `<what>: <why not yet>`, for readiness. */
  problems(): readonly string[] {
    return [...this.#waitingFor].map(([what, why]) => `waiting for ${what}: ${why}`);
  }

  /**
   * What `attempt` gives, tried until it succeeds; readiness and the log name `what` in the meantime.
   * @throws what `attempt` threw when no waiting mends it; the reason of the signal
   */
  async until<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    let told = Number.NEGATIVE_INFINITY;
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
        if (performance.now() - told > TELL_EVERY_MS) {
          told = performance.now();
          this.#log.warn({ why }, `waiting for ${what}`);
        }
      }
      await this.#pause(pause);
    }
  }

  /**
   * Resolves when there are no problems.
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
