import type { AnchorRequest } from '@countersign/contracts';
import { reportMemo } from '@countersign/evidence';
import type { LogBatch } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import type { AnchorStore } from '../store/port.js';

/** Takes `anchor-requests`: each report gets one memo of its own. */
export class ReportIntake {
  readonly #store: AnchorStore;
  readonly #requested: () => void;

  constructor(store: AnchorStore, requested: () => void) {
    this.#store = store;
    this.#requested = requested;
  }

  /** @throws RecordUnreadable for a record that this release cannot read: the partition is blocked, nothing is skipped */
  async take({ topic, partition, records }: LogBatch): Promise<void> {
    const reports: { reportId: string; contentHash: string; memo: string }[] = [];
    for (const record of records) {
      const { value } = readVersionedRecord<AnchorRequest>(record);
      if (value === null) continue;
      const { reportId, contentHash } = value;
      reports.push({ reportId, contentHash, memo: reportMemo(contentHash) });
    }
    await this.#store.requestReports(reports, { topic, partition, next: (records.at(-1)?.offset ?? -1) + 1 });
    if (reports.length > 0) this.#requested();
  }
}
