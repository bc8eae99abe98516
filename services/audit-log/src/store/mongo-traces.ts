import { traceIdOf } from '@countersign/contracts';
import type { mongo } from 'mongoose';
import { BY_TRACE, type Collections, type EventDocument } from './mongo-collections.js';
import { readOpenings } from './mongo-leaf.js';

const AT_ONCE = 500;
/** In openings: a context may have a trace. */
const MAY_HAVE_TRACE = /"trace":"/;

/**
 * Creates the index of traces, once. A database of a release without it has events without `trace`: they get theirs
 * first, so that an index that exists is complete.
 */
export async function createTraceIndex({ events }: Collections): Promise<void> {
  if (await events.indexExists(BY_TRACE)) return;
  const found = events
    .find({ openings: MAY_HAVE_TRACE, trace: { $exists: false } })
    .project<Pick<EventDocument, '_id' | 'openings'>>({ openings: 1 });
  let writes: mongo.AnyBulkWriteOperation<EventDocument>[] = [];
  const write = async (): Promise<void> => {
    if (writes.length > 0) await events.bulkWrite(writes, { ordered: false });
    writes = [];
  };
  for await (const { _id, openings } of found) {
    const trace = traceIdOf(readOpenings(openings));
    // An erasure that came in between has deleted the openings: the trace stays deleted.
    if (trace !== null)
      writes.push({ updateOne: { filter: { _id, openings: { $exists: true } }, update: { $set: { trace } } } });
    if (writes.length >= AT_ONCE) await write();
  }
  await write();
  await events.createIndex(
    { accountId: 1, trace: 1, at: 1, offset: 1, partition: 1, class: 1 },
    { name: BY_TRACE, partialFilterExpression: { trace: { $exists: true } } },
  );
}
