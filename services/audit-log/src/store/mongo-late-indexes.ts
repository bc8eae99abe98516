import { traceIdOf } from '@countersign/contracts';
import type { LeafEvent } from '@countersign/contracts';
import type { mongo } from 'mongoose';
import { BY_RULE, BY_TRACE, type Collections, type EventDocument } from './mongo-collections.js';
import { readOpenings } from './mongo-leaf.js';

const AT_ONCE = 500;
/** In openings: a context may have a trace. */
const MAY_HAVE_TRACE = /"trace":"/;
/** Names of classes with a violation: only such events have a rule. */
const WITH_VIOLATION = /[^/]$/;

/** An index over a member that events of earlier releases do not have. */
interface LateIndex {
  readonly name: string;
  readonly keys: mongo.IndexSpecification;
  readonly member: 'trace' | 'rule';
  /** Events that may need the member. */
  readonly among: mongo.Filter<EventDocument>;
  readonly reads: 'openings' | 'leaf';
  /** `null`: the event has none. */
  readonly valueOf: (event: Pick<EventDocument, 'openings' | 'leaf'>) => string | null;
}

const LATE_INDEXES: readonly LateIndex[] = [
  {
    name: BY_TRACE,
    keys: { accountId: 1, trace: 1, at: 1, offset: 1, partition: 1, class: 1 },
    member: 'trace',
    among: { openings: MAY_HAVE_TRACE },
    reads: 'openings',
    valueOf: ({ openings }) => traceIdOf(readOpenings(openings)),
  },
  {
    name: BY_RULE,
    keys: { accountId: 1, at: 1, class: 1, agentId: 1, rule: 1 },
    member: 'rule',
    among: { class: WITH_VIOLATION },
    reads: 'leaf',
    valueOf: ({ leaf }) => ruleIn(leaf),
  },
];

/** `null` also where the leaf is damaged, which fsck reports. */
function ruleIn(leaf: string): string | null {
  try {
    return (JSON.parse(leaf) as LeafEvent).rule;
  } catch {
    return null;
  }
}

/**
 * Creates the indexes that later releases have added, once. Events that are stored without their member get it first, so
 * that an index that exists is complete.
 */
export async function createLateIndexes({ events }: Collections): Promise<void> {
  for (const { name, keys, member, among, reads, valueOf } of LATE_INDEXES) {
    if (await events.indexExists(name)) continue;
    const found = events
      .find({ ...among, [member]: { $exists: false } })
      .project<Pick<EventDocument, '_id' | 'openings' | 'leaf'>>({ [reads]: 1 });
    let writes: mongo.AnyBulkWriteOperation<EventDocument>[] = [];
    const write = async (): Promise<void> => {
      if (writes.length > 0) await events.bulkWrite(writes, { ordered: false });
      writes = [];
    };
    for await (const event of found) {
      const value = valueOf(event);
      // An erasure that came in between has deleted the openings: what followed from them stays deleted.
      const filter = { _id: event._id, [reads]: { $exists: true } };
      if (value !== null) writes.push({ updateOne: { filter, update: { $set: { [member]: value } } } });
      if (writes.length >= AT_ONCE) await write();
    }
    await write();
    await events.createIndex(keys, { name, partialFilterExpression: { [member]: { $exists: true } } });
  }
}
