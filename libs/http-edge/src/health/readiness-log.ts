import type { Logger } from 'pino';

const LOOK_EVERY_MS = 500;
const FIRST_AFTER_MS = 2000;
const TELL_EVERY_MS = 10_000;

/** Names in the log what readiness waits for: soon after it began to wait, and again while that lasts. */
export class ReadinessLog {
  readonly #timer: NodeJS.Timeout;
  #since: number | null = null;
  #told: number | null = null;

  /** @param notReady as `/readyz` says it */
  constructor(
    private readonly log: Pick<Logger, 'info' | 'warn'>,
    private readonly notReady: () => readonly string[],
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  look(): void {
    const waitingFor = this.notReady();
    if (waitingFor.length === 0) {
      if (this.#told !== null) this.log.info('ready');
      this.#since = this.#told = null;
      return;
    }
    const now = this.now();
    this.#since ??= now;
    const due = this.#told === null ? this.#since + FIRST_AFTER_MS : this.#told + TELL_EVERY_MS;
    if (now < due) return;
    this.#told = now;
    this.log.warn({ waitingFor }, 'not ready');
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
