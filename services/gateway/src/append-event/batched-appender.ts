import { oncePerTick } from '@countersign/async';
import { LogRefused } from '@countersign/event-log';
import type { EventWriter, NewRecord } from '@countersign/event-log';

/** `durable`; certainly not in the log; or in doubt. */
export type AppendOutcome = 'durable' | 'refused' | 'in-doubt';

/** Waits for a record's outcome. MUST NOT throw. */
export interface OutcomeListener {
  settled(outcome: AppendOutcome): void;
}

/** Notified of each append and of its end. */
export interface AppendWatch {
  begun(size: number): void;
  ended(size: number, milliseconds: number, outcome: AppendOutcome): void;
}

const UNWATCHED: AppendWatch = { begun: () => undefined, ended: () => undefined };

/** Maximum text of one append; a larger tick makes several. */
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Collects the records of one event-loop tick and appends them as one batch: one commit serves all of them. */
export class BatchedAppender {
  readonly #writer: EventWriter;
  readonly #watch: AppendWatch;
  readonly #flushSoon = oncePerTick(() => this.#flush());
  #records: NewRecord[] = [];
  #listeners: OutcomeListener[] = [];
  #characters = 0;

  constructor(writer: EventWriter, watch: AppendWatch = UNWATCHED) {
    this.#writer = writer;
    this.#watch = watch;
  }

  /** The listener is called once with the record's outcome. */
  append(record: NewRecord, listener: OutcomeListener): void {
    if (this.#characters + record.value.length > MAX_BATCH_CHARACTERS) this.#flush();
    this.#records.push(record);
    this.#listeners.push(listener);
    this.#characters += record.value.length;
    this.#flushSoon();
  }

  #flush(): void {
    const records = this.#records;
    const listeners = this.#listeners;
    if (records.length === 0) return;
    this.#records = [];
    this.#listeners = [];
    this.#characters = 0;
    this.#watch.begun(records.length);
    const begunAt = performance.now();
    const settle = (outcome: AppendOutcome): void => {
      this.#watch.ended(records.length, performance.now() - begunAt, outcome);
      for (const listener of listeners) listener.settled(outcome);
    };
    this.#append(records).then(
      () => settle('durable'),
      (error: unknown) => settle(error instanceof LogRefused ? 'refused' : 'in-doubt'),
    );
  }

  /** A writer that throws where it should reject leaves the append in doubt as well. */
  async #append(records: readonly NewRecord[]): Promise<void> {
    await this.#writer.append(records);
  }
}
