import type { Logger } from 'pino';

const LOOK_EVERY_MS = 500;
const FIRST_AFTER_MS = 2000;
const REPORT_EVERY_MS = 10_000;

/** Logs the reasons why the process is not ready: soon after they appear, and repeatedly while they last. */
export class ReadinessLog {
  readonly #timer: NodeJS.Timeout;
  #since: number | null = null;
  #reportedAt: number | null = null;

  /** @param notReady the reasons that `/readyz` reports */
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
      if (this.#reportedAt !== null) this.log.info('ready');
      this.#since = this.#reportedAt = null;
      return;
    }
    const now = this.now();
    this.#since ??= now;
    const due = this.#reportedAt === null ? this.#since + FIRST_AFTER_MS : this.#reportedAt + REPORT_EVERY_MS;
    if (now < due) return;
    this.#reportedAt = now;
    this.log.warn({ waitingFor }, 'not ready');
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
