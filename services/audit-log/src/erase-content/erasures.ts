import type { Erasures } from '@countersign/contracts';
import type { EventStore } from '../store/port.js';

const MOST = 1_000;

/** The neighbour `erasures`: what keepers of copies are told of. */
export function erasures(store: EventStore): Erasures {
  return {
    untold: (limit) => store.untoldErasures(Math.min(limit, MOST)),
    tell: async (eventIds) => {
      if (eventIds.length > MOST) throw new RangeError(`at most ${MOST} event ids at a time`);
      await store.markErasuresTold(eventIds);
    },
    among: (agentId, first, last) => store.erasedAmong(agentId.toLowerCase(), first, last),
  };
}
