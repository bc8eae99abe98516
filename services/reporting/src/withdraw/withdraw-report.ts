import type { Erasures } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { HttpRefusal } from '@countersign/http-edge';
import { pdfBlobName, type BlobStore } from '../blobs/blob-store.js';
import { mayOpen, type OpenedRun, type ReportStore, type StoredReport } from '../store/port.js';
import { opensAny } from './opened-runs.js';

/** Why a report whose content was erased cannot be fetched. */
export const ERASED = 'content that it opens was erased; a copy that was downloaded stays valid';

const NOT_ISSUED = 'it was never answered: content was erased, or may have been, while it was made';

/** Dependencies of a withdrawal. */
export interface WithdrawalContext {
  readonly store: ReportStore;
  readonly blobs: BlobStore;
  readonly erasures: Erasures;
  /** The event of a withdrawal; none where it cannot be made now: content that was erased is not kept for it. */
  readonly withdrawn: (report: StoredReport, reason: string) => Promise<readonly NewRecord[]>;
  /** Appends enqueued records durably to the log. */
  readonly flush: () => Promise<void>;
}

/**
 * Withdraws a report, publishes that, and deletes its bodies. A repetition continues after a crash; a report that was
 * withdrawn for another reason keeps that reason.
 */
export async function withdrawReport(context: WithdrawalContext, id: string, reason: string): Promise<void> {
  const { store, flush, withdrawn } = context;
  for (;;) {
    const report = await store.anyReport(id);
    if (report === null) return;
    if (report.facts.withdrawn !== null) {
      await removeBodies(context, report);
      return;
    }
    const changed = { ...report, version: report.version + 1, facts: { ...report.facts, withdrawn: reason } };
    // Another instance may have changed it concurrently: the current state decides.
    if (!(await store.updateReport(changed, await withdrawn(changed, reason)))) continue;
    await flush();
  }
}

export async function removeBodies(
  { blobs }: Pick<WithdrawalContext, 'blobs'>,
  { facts }: StoredReport,
): Promise<void> {
  await blobs.remove(facts.sha256);
  if (facts.pdfSha256 !== null) await blobs.remove(pdfBlobName(facts.pdfSha256));
}

/** True if an order has erased content that these runs open. */
export async function isErased(erasures: Erasures, runs: readonly OpenedRun[]): Promise<boolean> {
  const spans = new Map<string, { first: number; last: number }>();
  for (const { agentId, first, last } of runs) {
    const span = spans.get(agentId) ?? { first, last };
    spans.set(agentId, { first: Math.min(span.first, first), last: Math.max(span.last, last) });
  }
  for (const [agentId, { first, last }] of spans) {
    if (opensAny(runs, agentId, await erasures.among(agentId, first, last))) return true;
  }
  return false;
}

/**
 * Called after a report is recorded and before it is answered: erasures that the archive carried out before are
 * found here, and later ones find the recorded report.
 * @throws HttpRefusal 503; the report is withdrawn then
 */
export async function requireUnerased(context: WithdrawalContext, report: StoredReport): Promise<void> {
  let erased: boolean;
  try {
    erased = await isErased(context.erasures, mayOpen(report));
  } catch (error) {
    await withdrawReport(context, report.id, NOT_ISSUED);
    throw error;
  }
  if (!erased) return;
  await withdrawReport(context, report.id, NOT_ISSUED);
  throw new HttpRefusal(503, 'content was erased while the report was made: ask again', { 'retry-after': '1' });
}
