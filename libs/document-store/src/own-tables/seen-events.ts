import { uuidV7 } from '@countersign/evidence';
import { duplicatesOf } from '../mongo/mongo-errors.js';

export interface SeenDocument {
  /** Partition and event id: sorts by partition, then by the time in the id. */
  readonly _id: string;
  /** Offset of its first occurrence. */
  readonly offset: number;
}

interface Found {
  skip(count: number): Found;
  limit(count: number): Found;
  toArray(): Promise<SeenDocument[]>;
}

type Ids = { readonly $in: string[] } | { readonly $gte: string; readonly $lt: string };

/** The used part of the driver's `Collection`. */
export interface SeenCollection {
  insertMany(documents: SeenDocument[], options: { readonly ordered: false }): Promise<unknown>;
  find(filter: { readonly _id: Ids }, options: object): Found;
  deleteMany(filter: { readonly _id: Ids }): Promise<unknown>;
}

/** An event that is appended again follows within this time, by the log's clock. */
const REMEMBERED_MS = 72 * 3600 * 1000;
const FORGET_EVERY_MS = 60_000;
/** Ids removed with a batch: more than a batch adds, so that the collection does not grow without bound. */
const FORGOTTEN_AT_ONCE = 5000;

/** Ids of the events that a partition brought, with the offset of their first occurrence. */
export class SeenEvents {
  readonly #forgotten = new Map<number, number>();

  constructor(private readonly seen: SeenCollection) {}

  /** Events whose id does not occur before them in the partition. */
  async first<E extends { readonly eventId: string; readonly offset: number }>(
    partition: number,
    events: readonly E[],
  ): Promise<readonly E[]> {
    const byId = new Map<string, E>();
    for (const event of events) {
      const id = seenId(partition, event.eventId);
      if (!byId.has(id)) byId.set(id, event);
    }
    if (byId.size === 0) return [];
    const documents = [...byId].map(([_id, { offset }]) => ({ _id, offset }));
    try {
      await this.seen.insertMany(documents, { ordered: false });
    } catch (error) {
      const ids = duplicatesOf(error).map((index) => documents[index]!._id);
      const earlier = await this.#earlier(ids);
      // The same offset: this very event, in an attempt that did not reach the position.
      for (const { _id, offset } of earlier) if (offset < byId.get(_id)!.offset) byId.delete(_id);
    }
    return [...byId.values()];
  }

  /**
   * Documents of ids that the server has just called duplicates. No later write is guarded by this read, so an id that is
   * not found is not taken for a new one. Reads with `local`, to see documents that a majority does not have yet.
   * @throws when one of them cannot be read
   */
  async #earlier(ids: readonly string[]): Promise<readonly SeenDocument[]> {
    const filter = { _id: { $in: [...ids] } };
    const earlier = await this.seen.find(filter, { readConcern: { level: 'local' } }).toArray();
    if (earlier.length === ids.length) return earlier;
    throw new Error(`${ids.length - earlier.length} events are seen already, and the store does not say where`);
  }

  /** Goes by the log's time, not by a clock: a partition that was blocked for days forgets no id that may occur again. */
  async forget(partition: number, logTimeMs: number): Promise<void> {
    if (logTimeMs - (this.#forgotten.get(partition) ?? -Infinity) < FORGET_EVERY_MS) return;
    const lowest = seenId(partition, LOWEST);
    const bound = seenId(partition, idFloor(Math.max(0, logTimeMs - REMEMBERED_MS)));
    const [last] = await this.seen
      .find({ _id: { $gte: lowest, $lt: bound } }, { projection: { _id: 1 }, sort: { _id: 1 } })
      .skip(FORGOTTEN_AT_ONCE)
      .limit(1)
      .toArray();
    await this.seen.deleteMany({ _id: { $gte: lowest, $lt: last?._id ?? bound } });
    if (last === undefined) this.#forgotten.set(partition, logTimeMs);
  }
}

const LOWEST = idFloor(0);

function seenId(partition: number, eventId: string): string {
  return `${String(partition).padStart(5, '0')}/${eventId}`;
}

/** The lowest UUID v7 of a time (RFC 9562 section 5.7). */
function idFloor(ms: number): string {
  return uuidV7(ms, new Uint8Array(10));
}
