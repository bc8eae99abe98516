import { duplicatesOf } from '../mongo/mongo-errors.js';

/** What is asked of a collection; the driver's `Collection` has it. */
interface BulkCollection<W> {
  bulkWrite(writes: W[], options: { readonly ordered: false }): Promise<unknown>;
}

/**
 * Upserts of which each is guarded, its filter naming `_id` and something lower than what it writes. One that meets its
 * own id either is not newer than what is there, or lost a race for the first insertion: the second attempt tells, and
 * then there is something as new.
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
