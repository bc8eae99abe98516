import type { mongo } from 'mongoose';
import { duplicatesOf } from '@countersign/document-store';
import type { Tally } from './mongo-collections.js';

/**
 * Another instance has taken the same part of the log since this one read where things stand. What both have written is
 * the same; the instance to which the batch is redelivered continues from there.
 */
export class PartitionContended extends Error {
  override readonly name = 'PartitionContended';
}

/** Adds to one tally what a batch holds for it. */
export interface TallyChange<Id> {
  readonly id: Id;
  /** As it was read; `null`: the tally was not there. */
  readonly applied: number | null;
  /** By path. */
  readonly add: Readonly<Record<string, number>>;
  readonly set?: object;
  /** For a new tally alone. */
  readonly first?: object;
}

/**
 * Applies each change to its tally if that stands where it was read, and moves it on to `applied`: a leaf is counted once
 * whichever instance writes, in any batches, any number of times.
 * @throws PartitionContended when one of them has moved; the others may have been applied
 */
export async function applyToTallies<Id>(
  collection: mongo.Collection<never>,
  changes: readonly TallyChange<Id>[],
  applied: number,
): Promise<void> {
  if (changes.length === 0) return;
  const writes = changes.map(({ id, applied: read, add, set, first }) => ({
    updateOne: {
      filter: { _id: id, applied: read },
      update: { $inc: add, $set: { ...set, applied }, ...(first === undefined ? {} : { $setOnInsert: first }) },
      upsert: read === null,
    },
  }));
  let done: number;
  try {
    const result = await collection.bulkWrite(writes as never, { ordered: false });
    done = result.matchedCount + result.upsertedCount;
  } catch (error) {
    // New tallies that are there by now.
    done = changes.length - duplicatesOf(error).length;
  }
  if (done !== changes.length) throw new PartitionContended('another instance is storing the same part of the log');
}

/** Reads tallies by their ids. */
export async function readTallies<T extends Tally<unknown>>(
  collection: mongo.Collection<T>,
  ids: readonly T['_id'][],
): Promise<T[]> {
  if (ids.length === 0) return [];
  const found = collection.find({ _id: { $in: ids } } as mongo.Filter<T>, { readConcern: { level: 'local' } });
  return (await found.toArray()) as T[];
}
