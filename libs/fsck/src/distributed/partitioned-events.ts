import type { EventLog } from '@countersign/event-log';
import type { EventRecords } from '../compare-events.js';
import { partitionOf, placeIn } from '../places.js';
import { recordsOf, type FetchedLog } from './read-log.js';

/** `agent-events` of the distributed profile, partition after partition. */
export function partitionedEvents(live: EventLog, log: FetchedLog): EventRecords {
  const begins = log.beginOffsets('agent-events');
  const ends = log.endOffsets('agent-events');
  const total = Object.entries(ends).reduce((sum, [partition, end]) => sum + end - (begins[Number(partition)] ?? 0), 0);
  return {
    total,
    records: () => recordsOf(live, 'agent-events'),
    isWhole: (place) => (begins[partitionOf(place)] ?? 0) === 0,
    mayBeOlder: ({ n }) => log.dropped(n),
    *older(archive) {
      for (const [partition, begin] of Object.entries(begins)) {
        if (begin > 0) yield* archive.between(placeIn(Number(partition), 0), placeIn(Number(partition), begin));
      }
    },
  };
}
