import type { Erasures } from '@countersign/contracts';
import type { EventStore } from '../store/port.js';

const MOST = 1_000;

/** The peer `erasures`, for services that store copies of content. */
export function erasures(store: EventStore): Erasures {
  return {
    pending: (limit) => store.pendingErasures(Math.min(limit, MOST)),
    acknowledge: async (eventIds) => {
      if (eventIds.length > MOST) throw new RangeError(`at most ${MOST} event ids at a time`);
      await store.acknowledgeErasures(eventIds);
    },
    among: (agentId, first, last) => store.erasedAmong(agentId.toLowerCase(), first, last),
  };
}
