import type { NewRecord } from '@countersign/event-log';
import type { TopicContext } from '../context.js';
import { SharedPass } from './shared-pass.js';

export type RowId = string | number;

export interface OutboxRow {
  readonly id: RowId;
  readonly record: NewRecord;
}

/**
 * Records to publish, written in one transaction with the change that caused them. Several instances may send the same rows
 * concurrently.
 * - Rows of one key MUST be returned in the order of their changes, and none before an older one of its key was sent.
 * - A method rejects if the store cannot be used.
 */
export interface OutboxStore {
  /** The oldest rows that have not been sent; fewer than `limit` only if there are no more. */
  pending(limit: number): Promise<readonly OutboxRow[]>;
  /** Deletes rows that are durable in the log; ignores those that another instance has deleted. */
  sent(ids: readonly RowId[]): Promise<void>;
}

const BATCH = 500;

/**
 * Appends outbox rows to the event log, in order, at least once: a crash between the append and `sent` repeats them, and
 * consumers ignore what they already have.
 */
export class OutboxRelay {
  readonly #context: Pick<TopicContext, 'eventLog' | 'log'>;
  readonly #store: OutboxStore;
  readonly #pass: SharedPass;

  constructor(context: Pick<TopicContext, 'eventLog' | 'log'>, store: OutboxStore) {
    this.#context = context;
    this.#store = store;
    this.#pass = new SharedPass({
      run: () => this.#sendAll(),
      waiting: 'changes wait for the event log',
      failed: 'outbox rows were not taken by the event log',
      log: context.log,
    });
  }

  /** Sends rows that a crash left. If the log refuses, the start succeeds, the pass is repeated, and `problem()` says why. */
  async start(): Promise<void> {
    await this.flush().catch(() => undefined);
  }

  /** Resolves when all rows written before the call are durable in the log; rejects if the log refuses, and keeps the rows. */
  flush(): Promise<void> {
    return this.#pass.run();
  }

  /** Why rows wait, or `null`. */
  problem(): string | null {
    return this.#pass.problem();
  }

  stop(): Promise<void> {
    return this.#pass.stop();
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const rows = await this.#store.pending(BATCH);
      if (rows.length === 0) return;
      await this.#context.eventLog.append(rows.map((row) => row.record));
      await this.#store.sent(rows.map((row) => row.id));
      if (rows.length < BATCH) return;
    }
  }
}
