import type { NewRecord } from '@countersign/event-log';
import type { TopicContext } from '../context.js';

export type RowId = string | number;

export interface OutboxRow {
  readonly id: RowId;
  readonly record: NewRecord;
}

/**
 * Rows written in the same step as the change that they tell of. Several instances may relay the same rows at once.
 * - Rows of one key MUST be given in the order of their changes, and none before an older one of its key was sent.
 * - A method rejects when the store cannot be used.
 */
export interface OutboxStore {
  /** The oldest rows that were not sent; fewer than `limit` only when there are no more. */
  pending(limit: number): Promise<readonly OutboxRow[]>;
  /** Drops rows that are durable in the log. Rows that another instance dropped are passed over. */
  sent(ids: readonly RowId[]): Promise<void>;
}

const BATCH = 500;
const RETRY_MS = 500;

/**
 * Carries outbox rows into the event log, in order, at least once: a crash between append and `sent` repeats them,
 * and consumers ignore what they have. One pass runs at a time.
 */
export class OutboxRelay {
  readonly #context: Pick<TopicContext, 'eventLog' | 'log'>;
  readonly #store: OutboxStore;
  #running: Promise<void> | null = null;
  #queued: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #problem: string | null = null;
  #stopped = false;

  constructor(context: Pick<TopicContext, 'eventLog' | 'log'>, store: OutboxStore) {
    this.#context = context;
    this.#store = store;
  }

  /** Sends what a crash left. A log that refuses does not fail the start: it is tried again, and `problem()` tells. */
  async start(): Promise<void> {
    await this.flush().catch(() => undefined);
  }

  /** Resolves when all rows written before the call are durable in the log; rejects when the log refuses, the rows stay. */
  flush(): Promise<void> {
    if (this.#running === null) return this.#begin();
    // Rows written after the running pass began may have escaped it: one more pass serves everyone who waits.
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = null;
        return this.#running ?? this.#begin();
      });
    return this.#queued;
  }

  /** Why rows wait, or `null`. */
  problem(): string | null {
    return this.#problem;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.flush().catch(() => undefined);
  }

  #begin(): Promise<void> {
    const pass = this.#pass().finally(() => {
      if (this.#running === pass) this.#running = null;
    });
    this.#running = pass;
    return pass;
  }

  async #pass(): Promise<void> {
    try {
      for (;;) {
        const rows = await this.#store.pending(BATCH);
        if (rows.length === 0) break;
        await this.#context.eventLog.append(rows.map((row) => row.record));
        await this.#store.sent(rows.map((row) => row.id));
        if (rows.length < BATCH) break;
      }
      this.#problem = null;
    } catch (error) {
      this.#problem = `changes wait for the event log: ${error instanceof Error ? error.message : String(error)}`;
      this.#context.log.error({ err: error }, 'outbox rows were not taken by the event log');
      this.#tryAgainLater();
      throw error;
    }
  }

  #tryAgainLater(): void {
    if (this.#stopped || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.flush().catch(() => undefined);
    }, RETRY_MS);
    this.#retry.unref();
  }
}
