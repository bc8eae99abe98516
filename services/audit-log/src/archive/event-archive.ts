import type { EventArchive } from '@countersign/contracts';
import type { EventIntake } from '../ingest/event-intake.js';
import type { EventStore } from '../store/port.js';

const MOST = 1_000;

/** The neighbour `event-archive`. */
export function eventArchive(store: EventStore, intake: EventIntake): EventArchive {
  return {
    span: (agentId, from, to) => store.span(agentId.toLowerCase(), Date.parse(from), Date.parse(to)),
    range: (agentId, first, last, limit) => store.range(agentId.toLowerCase(), first, last, Math.min(limit, MOST)),
    referring: async (eventIds) => {
      if (eventIds.length > MOST) throw new RangeError(`at most ${MOST} event ids at a time`);
      return store.referring(eventIds);
    },
    caughtUp: (offsets, timeoutMs) => intake.caughtUp(offsets, timeoutMs),
  };
}
