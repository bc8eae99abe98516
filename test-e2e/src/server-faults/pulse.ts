import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../instance/instance.js';
import type { TimedAttempt } from './steady-load.js';

const EVERY_MS = 100;

/**
 * Polls the liveness route, which answers at once: its latency is that of the test machine,
 * which may be busy with starting brokers.
 */
export class Pulse {
  readonly #answers: { readonly from: number; readonly to: number }[] = [];
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(instance: Asked) {
    this.#running = this.#run(instance);
  }

  async #run(instance: Asked): Promise<void> {
    for (; !this.#stopped; await sleep(EVERY_MS)) {
      const from = performance.now();
      await instance.request('GET', '/healthz').catch(() => null);
      this.#answers.push({ from, to: performance.now() });
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** The attempts, with the machine's share removed from their times. */
  without(attempts: readonly TimedAttempt[]): readonly TimedAttempt[] {
    return attempts.map((attempt) => {
      const { sentAt, tookMs } = attempt;
      const meanwhile = this.#answers.filter(({ from, to }) => from < sentAt + tookMs && to > sentAt);
      const machineMs = Math.max(0, ...meanwhile.map(({ from, to }) => to - from));
      return { ...attempt, tookMs: Math.max(0, tookMs - machineMs) };
    });
  }
}
