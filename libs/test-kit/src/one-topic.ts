import type { ConsumeOptions, Consumption, EventLog, LogRecord, NewRecord } from '@countersign/event-log';

/** One topic in memory that keeps every record, since a compacting log may drop the records that a test needs. */
export class OneTopic {
  readonly records: LogRecord[] = [];
  readonly #readers = new Set<() => void>();

  append(records: readonly NewRecord[]): Promise<[]> {
    for (const { topic, key, value } of records) {
      const place = { topic, partition: 0, offset: this.records.length, appendedAtMs: Date.now() };
      this.records.push({ ...place, key, value: Buffer.from(value) });
    }
    for (const read of this.#readers) read();
    return Promise.resolve([]);
  }

  /** The topic as an event log, with the methods that followers and publishers use. */
  get asLog(): EventLog {
    const used = {
      append: (records: readonly NewRecord[]) => this.append(records),
      beginOffsets: () => Promise.resolve({ 0: 0 }),
      endOffsets: () => Promise.resolve({ 0: this.records.length }),
      consume: (options: ConsumeOptions) => this.#consume(options),
    };
    return used as unknown as EventLog;
  }

  async #consume(options: ConsumeOptions): Promise<Consumption> {
    const topic = options.topics[0]!;
    let next = (await options.position(topic, 0)) ?? 0;
    const read = (): void => {
      const records = this.records.slice(next);
      if (records.length === 0) return;
      next = this.records.length;
      void options.handle({ topic, partition: 0, records, endOffset: next });
    };
    this.#readers.add(read);
    read();
    return {
      stop: () => Promise.resolve(void this.#readers.delete(read)),
      lag: () => ({}),
      stalled: () => null,
      caughtUp: () => Promise.resolve(),
    };
  }
}
