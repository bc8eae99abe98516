import type { ServiceContext } from '@countersign/service-kit';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';

const EVERY_MS = 10 * 60 * 1000;
/** An expired session is refused by its own time; it is removed once no clock can still consider it valid. */
const KEPT_MS = 3600 * 1000;
const AT_ONCE = 500;

/** Removes expired sessions from the store and from the topic. */
export class SessionSweep {
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: Pick<ServiceContext, 'clock' | 'log'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
  ) {}

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.sweep().catch((error: unknown) => {
        this.context.log.warn({ err: error }, 'expired sessions were not removed; the next sweep retries');
      });
    }, EVERY_MS);
    this.#timer.unref();
  }

  async sweep(): Promise<void> {
    const before = new Date(this.context.clock() - KEPT_MS).toISOString();
    for (;;) {
      const removedSessions = await this.store.expiredSessions(before, AT_ONCE);
      if (removedSessions.length === 0) return;
      await this.publication.write({ removedSessions });
    }
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }
}
