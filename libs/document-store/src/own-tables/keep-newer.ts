import { duplicatesOf } from '../mongo/mongo-errors.js';

/** The used part of the driver's `Collection`. */
interface BulkCollection<W> {
  bulkWrite(writes: W[], options: { readonly ordered: false }): Promise<unknown>;
}

/**
 * Writes guarded upserts: the filter of each names `_id` and a version below the one it writes. A duplicate id means that the
 * stored document is as new, or that another writer inserted it first; the second attempt decides which.
 */
export async function keepNewer<W>(collection: BulkCollection<W>, writes: readonly W[]): Promise<void> {
  let open = writes;
  for (let attempt = 1; attempt <= 2 && open.length > 0; attempt += 1) {
    try {
      await collection.bulkWrite([...open], { ordered: false });
      return;
    } catch (error) {
      const duplicates = new Set(duplicatesOf(error));
      open = open.filter((_write, i) => duplicates.has(i));
    }
  }
}
