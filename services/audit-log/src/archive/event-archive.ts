import type { EventArchive } from '@countersign/contracts';
import { committedProfile } from '../domain/profile-version.js';
import { changeTo } from '../list-events/profile-changes.js';
import type { EventIntake } from '../ingest/event-intake.js';
import type { EventStore } from '../store/port.js';

const MOST = 1_000;
const MOST_CHECKS = 2_000;

/** The peer `event-archive`. */
export function eventArchive(store: EventStore, intake: EventIntake): EventArchive {
  return {
    span: (agentId, from, to) => store.span(agentId.toLowerCase(), Date.parse(from), Date.parse(to)),
    range: (agentId, first, last, limit) => store.range(agentId.toLowerCase(), first, last, Math.min(limit, MOST)),
    newestChecks: async (agentId, count) => {
      const times = await store.newestChecks(agentId.toLowerCase(), Math.min(count, MOST_CHECKS));
      const iso = (ms: number): string => new Date(ms).toISOString();
      return times === null ? null : { from: iso(times.firstMs), to: iso(times.lastMs + 1) };
    },
    withProfile: async (accountId, eventId) => {
      const event = await store.findArchived(accountId, eventId.toLowerCase());
      if (event === null) return null;
      const { agentId, profileVersion } = event.envelope.leaf;
      const change = profileVersion === null ? null : await changeTo(store, accountId, agentId, profileVersion);
      return { event, profile: change === null ? null : committedProfile(change.event) };
    },
    referring: async (eventIds) => store.referring(bounded(eventIds)),
    leaves: async (eventIds) => store.leaves(bounded(eventIds)),
    caughtUp: (offsets, timeoutMs) => intake.caughtUp(offsets, timeoutMs),
  };
}

/** @throws RangeError where there are more than one call may ask for */
function bounded(eventIds: readonly string[]): readonly string[] {
  if (eventIds.length > MOST) throw new RangeError(`at most ${MOST} event ids at a time`);
  return eventIds;
}
