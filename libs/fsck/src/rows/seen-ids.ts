import type { LoggedId } from '../number-leaves.js';
import { OrderedRows } from '../ordered-rows.js';
import type { Check } from '../report.js';

/** Ids are forgotten this long after the time in them, by the log's time: `architecture.md`. */
const REMEMBERED_MS = 72 * 3_600_000;

/** Event ids that a consumer keeps, so that a redelivered event does not count again. */
export interface Remembered {
  /** File and table. */
  readonly place: string;
  /** In the order of their bytes. */
  readonly ids: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** `true` when it must hold this one, unless it is older than the time that it remembers. */
  readonly holds: (logged: LoggedId) => boolean;
}

/**
 * Ids that a consumer remembers against those of the log, both in the order of their bytes.
 * @param newestMs when the log took the newest event
 * @param isWhole the log begins with the first event: an id that it does not have belongs to no event
 */
export async function compareSeen(
  logged: Iterable<LoggedId>,
  { place, ids, holds }: Remembered,
  newestMs: number,
  isWhole: boolean,
  check: Check,
): Promise<void> {
  const since = newestMs - REMEMBERED_MS;
  const kept = await OrderedRows.of(inPlace(ids));
  const surplus = (id: Uint8Array): void => {
    if (isWhole) check.wrong(`${place} ${Buffer.from(id).toString('hex')}`, 'no event of the log has this id');
  };
  for (const each of logged) {
    while (kept.row !== null && Buffer.compare(kept.row, each.id) < 0) {
      surplus(kept.row);
      await kept.advance();
    }
    check.examined += 1;
    if (kept.row !== null && Buffer.compare(kept.row, each.id) === 0) await kept.advance();
    else if (timeOf(each.id) > since && holds(each))
      check.wrong(
        `${place} ${each.id.toString('hex')}`,
        'it is missing: the event would count again if it were redelivered',
      );
  }
  for (; kept.row !== null; await kept.advance()) surplus(kept.row);
}

async function* inPlace<T>(rows: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* rows;
}

/** Milliseconds in a UUID of version 7 (RFC 9562 section 5.7). */
function timeOf(id: Buffer): number {
  return id.readUIntBE(0, 6);
}
