import { LogRefused } from '@countersign/event-log';
import type { EventWriter, NewRecord } from '@countersign/event-log';

/** `durable`; certainly not in the log; or nobody knows. */
export type Fate = 'durable' | 'refused' | 'unknown';

/** Waits for a record's fate. MUST NOT throw. */
export interface FateListener {
  settled(fate: Fate): void;
}

/** One append carries at most this much text; a longer turn makes several. */
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Collects what one turn of the event loop brings and appends it as one batch: one commit serves all of them. */
export class BatchedAppender {
  readonly #writer: EventWriter;
  readonly #onBatch: (size: number) => void;
  #records: NewRecord[] = [];
  #listeners: FateListener[] = [];
  #characters = 0;
  #scheduled = false;

  constructor(writer: EventWriter, onBatch: (size: number) => void = () => undefined) {
    this.#writer = writer;
    this.#onBatch = onBatch;
  }

  /** The listener hears once what became of the record. */
  append(record: NewRecord, listener: FateListener): void {
    if (this.#characters + record.value.length > MAX_BATCH_CHARACTERS) this.#flush();
    this.#records.push(record);
    this.#listeners.push(listener);
    this.#characters += record.value.length;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const records = this.#records;
    const listeners = this.#listeners;
    if (records.length === 0) return;
    this.#records = [];
    this.#listeners = [];
    this.#characters = 0;
    this.#onBatch(records.length);
    this.#append(records).then(
      () => tell(listeners, 'durable'),
      (error: unknown) => tell(listeners, error instanceof LogRefused ? 'refused' : 'unknown'),
    );
  }

  /** A writer that throws where it should reject leaves the fate unknown as well. */
  async #append(records: readonly NewRecord[]): Promise<void> {
    await this.#writer.append(records);
  }
}

function tell(listeners: readonly FateListener[], fate: Fate): void {
  for (const listener of listeners) listener.settled(fate);
}
