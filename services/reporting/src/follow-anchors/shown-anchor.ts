import type { ReportRecord } from '@countersign/contracts';
import type { ReportStore } from '../store/port.js';

/** The confirmed transaction of a report or a series, as lists show it; `null` in its members until there is one. */
export async function shownAnchor(
  store: Pick<ReportStore, 'reportAnchor'>,
  id: string,
): Promise<Required<NonNullable<ReportRecord['anchor']>>> {
  const anchor = await store.reportAnchor(id);
  return {
    network: anchor?.network ?? null,
    txSignature: anchor?.txSignature ?? null,
    blockHeight: anchor?.blockHeight ?? null,
  };
}
