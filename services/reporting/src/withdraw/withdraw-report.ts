import type { Erasures } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { pdfBlobName, type BlobStore } from '../blobs/blob-store.js';
import { mayOpen, type OpenedRun, type ReportStore, type StoredReport } from '../store/port.js';
import { opensAny } from './opened-runs.js';

/** Why a report cannot be fetched whose content was erased since. */
export const ERASED = 'content that it opens was erased; a copy that was downloaded stays valid';

const NOT_ISSUED = 'it was never answered: content was erased, or may have been, while it was made';

/** What a withdrawal works with. */
export interface WithdrawalPlace {
  readonly store: ReportStore;
  readonly blobs: BlobStore;
  readonly erasures: Erasures;
  /** Makes what the store enqueued durable in the log. */
  readonly flush: () => Promise<void>;
}

/**
 * Withdraws a report, tells it, and deletes its bodies. Repeated, it goes on where a crash ended it; a report that was
 * withdrawn for another reason keeps that.
 */
export async function withdrawReport(place: WithdrawalPlace, id: string, reason: string): Promise<void> {
  const { store, flush } = place;
  for (;;) {
    const report = await store.anyReport(id);
    if (report === null) return;
    if (report.facts.withdrawn !== null) {
      await removeBodies(place, report);
      return;
    }
    const changed = { ...report, version: report.version + 1, facts: { ...report.facts, withdrawn: reason } };
    // Another instance may have changed it in between: then what is there now is judged.
    if (!(await store.updateReport(changed))) continue;
    await flush();
  }
}

export async function removeBodies({ blobs }: Pick<WithdrawalPlace, 'blobs'>, { facts }: StoredReport): Promise<void> {
  await blobs.remove(facts.sha256);
  if (facts.pdfSha256 !== null) await blobs.remove(pdfBlobName(facts.pdfSha256));
}

/** Whether an order has taken content that these runs open. */
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
 * To be called once a report is recorded, and before it is answered: an erasure that the archive carried out before this
 * look is seen here, and one that comes later finds the report recorded.
 * @throws HttpRefusal 503; the report is withdrawn then
 */
export async function requireUnerased(place: WithdrawalPlace, report: StoredReport): Promise<void> {
  let erased: boolean;
  try {
    erased = await isErased(place.erasures, mayOpen(report));
  } catch (error) {
    await withdrawReport(place, report.id, NOT_ISSUED);
    throw error;
  }
  if (!erased) return;
  await withdrawReport(place, report.id, NOT_ISSUED);
  throw new HttpRefusal(503, 'content was erased while the report was made: ask again', { 'retry-after': '1' });
}
