import { CountersUnavailable } from '@countersign/counters';
import type { Counters } from '@countersign/counters';
import type { ServiceContext } from '@countersign/service-kit';

const LOOK_MS = 500;

/** Rebuilds the counters whenever they do not serve, and again when a rebuild failed; one of several gateways does. */
export class CountersKeeper {
  readonly #counters: Pick<Counters, 'unavailable'>;
  readonly #rebuild: () => Promise<unknown>;
  readonly #log: Pick<ServiceContext['log'], 'error'>;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #problem: string | null = null;

  constructor(
    counters: Pick<Counters, 'unavailable'>,
    rebuild: () => Promise<unknown>,
    log: Pick<ServiceContext['log'], 'error'>,
  ) {
    this.#counters = counters;
    this.#rebuild = rebuild;
    this.#log = log;
  }

  start(): void {
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** The reason why the counters do not serve, or `null`. */
  problem(): string | null {
    const unavailable = this.#counters.unavailable();
    if (unavailable === null) return null;
    return this.#problem ?? `counters: ${unavailable}`;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }

  #look(): void {
    if (this.#running !== null || this.#counters.unavailable() === null) return;
    this.#running = this.#rebuild()
      .then(() => {
        this.#problem = null;
      })
      .catch((error: unknown) => {
        // They report the reason themselves: unavailable, or another gateway has taken over.
        if (error instanceof CountersUnavailable) {
          this.#problem = null;
          return;
        }
        this.#problem = 'the counters could not be rebuilt; see the log';
        this.#log.error({ err: error }, 'counters could not be rebuilt');
      })
      .finally(() => {
        this.#running = null;
      });
  }
}
