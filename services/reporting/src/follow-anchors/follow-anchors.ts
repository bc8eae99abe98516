import { setTimeout as sleep } from 'node:timers/promises';
import type { AnchorFacts } from '@countersign/contracts';
import type { ReportAnchor } from '@countersign/evidence';
import type { LogBatch } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import type { KeptAnchor, ReportStore } from '../store/port.js';

/** Stores the published authorities and the reports' transactions from the topic `anchors`. */
export async function keepAnchors(store: ReportStore, batch: LogBatch): Promise<void> {
  const kept: KeptAnchor[] = [];
  for (const message of batch.records) {
    const { value, version } = readVersionedRecord<AnchorFacts>(message);
    if (value !== null && (value.kind === 'report' || value.kind === 'authority')) kept.push({ version, value });
  }
  const last = batch.records.at(-1);
  if (last !== undefined) await store.keepAnchors(kept, batch.partition, last.offset + 1, batch.from);
}

/** Pauses between two reads: each is longer than the one before, up to the longest. */
const PAUSE_MS = { first: 25, longest: 250 } as const;

/** Waits until a report's transaction is finalized; `null` after `timeoutMs`. Any instance may have stored it. */
export async function waitForReportAnchor(
  store: ReportStore,
  reportId: string,
  timeoutMs: number,
): Promise<ReportAnchor | null> {
  const until = performance.now() + timeoutMs;
  for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 1.3, PAUSE_MS.longest)) {
    const found = await store.reportAnchor(reportId);
    if (found !== null)
      return { network: found.network, txSignature: found.txSignature, blockHeight: found.blockHeight };
    if (performance.now() >= until) return null;
    await sleep(pause);
  }
}
