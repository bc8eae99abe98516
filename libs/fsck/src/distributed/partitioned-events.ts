import type { EventLog } from '@countersign/event-log';
import type { EventRecords } from '../compare-events.js';
import { offsetOf, partitionOf } from '../places.js';
import { recordsOf, type FetchedLog } from './read-log.js';

/** `agent-events` of the distributed profile, partition after partition. */
export function partitionedEvents(live: EventLog, log: FetchedLog): EventRecords {
  const begins = log.beginOffsets('agent-events');
  const ends = log.endOffsets('agent-events');
  const total = Object.entries(ends).reduce((sum, [partition, end]) => sum + end - (begins[Number(partition)] ?? 0), 0);
  let readTo = ends;
  return {
    total,
    async *records() {
      readTo = await live.endOffsets('agent-events');
      yield* recordsOf(live, 'agent-events', readTo);
    },
    isWhole: (place) => (begins[partitionOf(place)] ?? 0) === 0,
    mayBeOlder: ({ n }) => log.dropped(n),
    async isNewer({ n }) {
      const [partition, offset] = [partitionOf(n), offsetOf(n)];
      if (offset < (readTo[partition] ?? 0)) return false;
      return offset < ((await live.endOffsets('agent-events'))[partition] ?? 0);
    },
    async *older(archive) {
      for (const [partition, begin] of Object.entries(begins)) {
        if (begin > 0) yield* archive.inRange({ partition: Number(partition), from: 0, to: begin });
      }
    },
  };
}
