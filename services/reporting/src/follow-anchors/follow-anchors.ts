import { setTimeout as sleep } from 'node:timers/promises';
import type { AnchorFacts } from '@countersign/contracts';
import type { ReportAnchor } from '@countersign/evidence';
import type { LogBatch } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/service-kit';
import type { KeptAnchor, ReportStore } from '../store/port.js';

/** Keeps what reporting needs of the topic `anchors`: the published authorities and the reports' transactions. */
export function keepAnchors(store: ReportStore, batch: LogBatch): void {
  const kept: KeptAnchor[] = [];
  for (const message of batch.records) {
    const { value } = readVersionedRecord<AnchorFacts>(message);
    if (value !== null && (value.kind === 'report' || value.kind === 'authority')) kept.push(value);
  }
  const last = batch.records.at(-1);
  if (last !== undefined) store.keepAnchors(kept, batch.partition, last.offset + 1);
}

const POLL_MS = 25;

/** Waits until a report's transaction is finalized; `null` after `timeoutMs`. Any instance may have kept it. */
export async function waitForReportAnchor(
  store: ReportStore,
  reportId: string,
  timeoutMs: number,
): Promise<ReportAnchor | null> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = store.reportAnchor(reportId);
    if (found !== null)
      return { network: found.network, txSignature: found.txSignature, blockHeight: found.blockHeight };
    if (performance.now() >= until) return null;
    await sleep(POLL_MS);
  }
}
