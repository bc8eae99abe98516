import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { BehaviorProfile, EventDetail, EventRecord, ProfileVersion } from '@countersign/contracts';
import type { CheckedVersion } from '../screens/agent/as-decided.js';
import { profileHash } from '../verify/profile-hash.js';
import { ask } from './ask.js';

/** Decisions whose hash is compared, the newest ones. */
const DECISIONS = 3;

/**
 * Reads a version and some decisions under it, and computes the hash of the profile again.
 * @param listed `undefined`: no event names it, and it is the one in force
 * @param until time at which the next version came in force; `null`: it is in force
 */
export function useCheckedVersion(
  inForce: BehaviorProfile,
  listed: ProfileVersion | undefined,
  until: string | null,
): UseQueryResult<CheckedVersion> {
  const id = inForce.agent_id;
  const version = listed?.version ?? inForce.version;
  return useQuery({
    queryKey: ['version', id, version, listed?.sha256, until],
    queryFn: async ({ signal }): Promise<CheckedVersion> => {
      const path = `/v1/agents/${encodeURIComponent(id)}/profile/versions/${version}`;
      const found =
        listed === undefined
          ? { profile: inForce, sha256: null }
          : await ask<{ profile: BehaviorProfile | null; sha256: string }>(path, { signal });
      const { profile, sha256: recorded } = found;
      const query = { agentId: id, type: 'action.checked', from: listed?.at, to: until, limit: DECISIONS };
      const { events, total } = await ask<{ events: readonly EventRecord[]; total: number }>('/v1/events', {
        query,
        signal,
      });
      // A gateway may have decided by the version before for a moment.
      const decided = events.filter(({ profileVersion }) => profileVersion === version);
      const details = await Promise.all(
        decided.map(({ eventId }) => ask<EventDetail>(`/v1/events/${eventId}`, { signal })),
      );
      const decisions = details.flatMap(({ eventId, profileSha256: sha256 }) =>
        sha256 === null ? [] : [{ eventId, sha256 }],
      );
      const computed = profile === null ? null : await profileHash(profile);
      return { version, profile, computed, recorded, decisions, checks: total };
    },
    staleTime: until === null ? 2000 : Infinity,
  });
}
