import { LogRefused } from '@countersign/event-log';
import type { EventWriter, NewRecord } from '@countersign/event-log';

/** `durable`; certainly not in the log; or nobody knows. */
export type Fate = 'durable' | 'refused' | 'unknown';

/** One append carries at most this much text; a longer turn makes several. */
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Collects what one turn of the event loop brings and appends it as one batch: one commit serves all of them. */
export class BatchedAppender {
  readonly #writer: EventWriter;
  readonly #onBatch: (size: number) => void;
  #records: NewRecord[] = [];
  #settle: ((fate: Fate) => void)[] = [];
  #characters = 0;
  #scheduled = false;

  constructor(writer: EventWriter, onBatch: (size: number) => void = () => undefined) {
    this.#writer = writer;
    this.#onBatch = onBatch;
  }

  /** Resolves when the record's fate is known. Never rejects. */
  append(record: NewRecord): Promise<Fate> {
    return new Promise((resolve) => {
      if (this.#characters + record.value.length > MAX_BATCH_CHARACTERS) this.#flush();
      this.#records.push(record);
      this.#settle.push(resolve);
      this.#characters += record.value.length;
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    const records = this.#records;
    const settle = this.#settle;
    if (records.length === 0) return;
    this.#records = [];
    this.#settle = [];
    this.#characters = 0;
    this.#onBatch(records.length);
    this.#append(records).then(
      () => settleAll(settle, 'durable'),
      (error: unknown) => settleAll(settle, error instanceof LogRefused ? 'refused' : 'unknown'),
    );
  }

  /** A writer that throws instead of rejecting sent nothing that is known of. */
  async #append(records: readonly NewRecord[]): Promise<void> {
    await this.#writer.append(records);
  }
}

function settleAll(settle: readonly ((fate: Fate) => void)[], fate: Fate): void {
  for (const one of settle) one(fate);
}
