import type { ServiceContext } from '@countersign/service-kit';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';

const EVERY_MS = 10 * 60 * 1000;
/** After its expiry a session is refused by its own time; it is dropped when no clock can still take it for valid. */
const KEPT_MS = 3600 * 1000;
const AT_ONCE = 500;

/** Drops sessions that are over, from the store and from the topic. */
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
        this.context.log.warn({ err: error }, 'expired sessions were not dropped, the next round does');
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
