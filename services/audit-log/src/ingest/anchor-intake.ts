import type { AnchorFacts } from '@countersign/contracts';
import type { LogBatch } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import type { AnchoredWindow, EventStore } from '../store/port.js';

/** Takes the windows of `anchors` into the store; its other records are not audit-log's. */
export class AnchorIntake {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /**
   * @throws RecordUnreadable for a record that this release cannot read: the partition is blocked, nothing is skipped
   * @throws StoreFellBack
   */
  async take({ topic, partition, from, records }: LogBatch): Promise<void> {
    const windows: AnchoredWindow[] = [];
    for (const record of records) {
      const { value } = readVersionedRecord<AnchorFacts>(record);
      if (value?.kind === 'window') windows.push(value);
    }
    const next = (records.at(-1)?.offset ?? -1) + 1;
    await this.#store.saveAnchors(windows, { topic, partition, from, next });
  }
}
