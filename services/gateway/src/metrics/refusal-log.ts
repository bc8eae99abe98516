import type { ServiceContext } from '@countersign/service-kit';

const EVERY_MS = 1000;

/** Logs at most one refusal per second for each status, with the number of the others: a flood of them stays cheap. */
export class RefusalLog {
  readonly #last = new Map<number, { at: number; silent: number }>();

  constructor(
    private readonly log: Pick<ServiceContext['log'], 'info' | 'warn'>,
    private readonly now: () => number,
  ) {}

  refused(status: number, reason: string): void {
    const now = this.now();
    const last = this.#last.get(status);
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.silent += 1;
      return;
    }
    const entry = { status, reason, more: last?.silent ?? 0 };
    this.#last.set(status, { at: now, silent: 0 });
    if (status === 503) this.log.warn(entry, 'check not answered');
    else this.log.info(entry, 'check refused');
  }
}
