import { oncePerTick } from '@countersign/async';
import { LogRefused } from '@countersign/event-log';
import type { EventWriter, NewRecord } from '@countersign/event-log';

/** `durable`; certainly not in the log; or nobody knows. */
export type Fate = 'durable' | 'refused' | 'unknown';

/** Waits for a record's fate. MUST NOT throw. */
export interface FateListener {
  settled(fate: Fate): void;
}

/** Told of each append and of its end. */
export interface AppendWatch {
  begun(size: number): void;
  ended(size: number, milliseconds: number, fate: Fate): void;
}

const UNWATCHED: AppendWatch = { begun: () => undefined, ended: () => undefined };

/** One append carries at most this much text; a longer turn makes several. */
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Collects what one turn of the event loop brings and appends it as one batch: one commit serves all of them. */
export class BatchedAppender {
  readonly #writer: EventWriter;
  readonly #watch: AppendWatch;
  readonly #flushSoon = oncePerTick(() => this.#flush());
  #records: NewRecord[] = [];
  #listeners: FateListener[] = [];
  #characters = 0;

  constructor(writer: EventWriter, watch: AppendWatch = UNWATCHED) {
    this.#writer = writer;
    this.#watch = watch;
  }

  /** The listener hears once what became of the record. */
  append(record: NewRecord, listener: FateListener): void {
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
    const settle = (fate: Fate): void => {
      this.#watch.ended(records.length, performance.now() - begunAt, fate);
      for (const listener of listeners) listener.settled(fate);
    };
    this.#append(records).then(
      () => settle('durable'),
      (error: unknown) => settle(error instanceof LogRefused ? 'refused' : 'unknown'),
    );
  }

  /** A writer that throws where it should reject leaves the fate unknown as well. */
  async #append(records: readonly NewRecord[]): Promise<void> {
    await this.#writer.append(records);
  }
}
