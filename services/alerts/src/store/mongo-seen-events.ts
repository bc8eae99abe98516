import type { mongo } from 'mongoose';
import { uuidV7 } from '@countersign/evidence';
import { duplicatesOf } from '@countersign/service-kit';
import type { Notice } from '../domain/thread.js';
import { REMEMBERED_MS } from './port.js';

export interface SeenDocument {
  /** Partition and event id: sorts by partition, then by the time in the id. */
  readonly _id: string;
  /** Where the id stood first. */
  readonly offset: number;
}

const FORGET_EVERY_MS = 60_000;

/** Ids of the violations that a partition brought, with the offset of their first occurrence. */
export class MongoSeenEvents {
  readonly #forgotten = new Map<number, number>();

  constructor(private readonly seen: mongo.Collection<SeenDocument>) {}

  /** Notices of events whose id stands nowhere before them in the partition. */
  async first(partition: number, notices: readonly Notice[]): Promise<readonly Notice[]> {
    const offsets = new Map<string, number>();
    for (const { violation } of notices) {
      const id = seenId(partition, violation.eventId);
      if (!offsets.has(id)) offsets.set(id, violation.offset);
    }
    if (offsets.size === 0) return [];
    const documents = [...offsets].map(([_id, offset]) => ({ _id, offset }));
    try {
      await this.seen.insertMany(documents, { ordered: false });
    } catch (error) {
      const ids = duplicatesOf(error).map((index) => documents[index]!._id);
      const earlier = await this.seen.find({ _id: { $in: ids } }).toArray();
      // The same offset: this very event, in an attempt that did not reach the position.
      for (const { _id, offset } of earlier) if (offset < offsets.get(_id)!) offsets.delete(_id);
    }
    return notices.filter(({ violation }) => offsets.get(seenId(partition, violation.eventId)) === violation.offset);
  }

  /** By the log's time, not by a clock: a partition that stood still for days forgets nothing that it may meet again. */
  async forget(partition: number, logTimeMs: number): Promise<void> {
    if (logTimeMs - (this.#forgotten.get(partition) ?? -Infinity) < FORGET_EVERY_MS) return;
    const bound = seenId(partition, idFloor(Math.max(0, logTimeMs - REMEMBERED_MS)));
    await this.seen.deleteMany({ _id: { $gte: seenId(partition, idFloor(0)), $lt: bound } });
    this.#forgotten.set(partition, logTimeMs);
  }
}

function seenId(partition: number, eventId: string): string {
  return `${String(partition).padStart(5, '0')}/${eventId}`;
}

/** The lowest UUID v7 of a time (RFC 9562 section 5.7). */
function idFloor(ms: number): string {
  return uuidV7(ms, new Uint8Array(10));
}
