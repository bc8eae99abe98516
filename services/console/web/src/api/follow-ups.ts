import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseMutationResult } from '@tanstack/react-query';
import type { EventDetail, EventRecord, FollowedUpCheck, FollowUpRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

/** Refused checks of a page, and of one request that follows them up. */
export const MOST_AT_ONCE = 100;
/** Pages without a match that are read in search of one: the archive looks through its events page by page. */
const MOST_READ = 10;
const REFUSED = ['refused-checks'];

interface Recorded {
  readonly followUps: readonly FollowUpRecord[];
}

export interface NewFollowUp {
  readonly eventIds: readonly string[];
  readonly note: string;
}

/** Records a note about refused checks. Screens show it at once: the archive lists it a moment later. */
export function useFollowUp(): UseMutationResult<Recorded, Error, NewFollowUp> {
  return useMutation({
    mutationFn: (body) => ask<Recorded>('/v1/alerts/follow-ups', { method: 'POST', body }),
    onSuccess: ({ followUps }) => {
      for (const followUp of followUps)
        client.setQueryData<EventDetail>(['event', followUp.eventId], (event) =>
          event === undefined ? undefined : { ...event, followUps: [...event.followUps, followUp] },
        );
      const at = new Map(followUps.map((followUp) => [followUp.eventId, followUp.at]));
      client.setQueriesData<InfiniteData<RefusedPage>>({ queryKey: REFUSED }, (data) =>
        data === undefined ? undefined : { ...data, pages: data.pages.map((page) => withFollowUps(page, at)) },
      );
    },
  });
}

function withFollowUps(page: RefusedPage, at: ReadonlyMap<string, string>): RefusedPage {
  const checks = page.checks.map((check) => {
    const latestAt = at.get(check.event.eventId);
    return latestAt === undefined ? check : { ...check, count: check.count + 1, latestAt };
  });
  return { ...page, checks };
}

/** Filters of the list of refused checks; `null`: not by this. */
export interface RefusedFilters {
  readonly agent: string | null;
  readonly outcome: string | null;
  readonly violation: string | null;
  readonly rule: string | null;
}

/** A refused check, and how often it was followed up. */
export interface RefusedCheck extends Pick<FollowedUpCheck, 'count' | 'latestAt'> {
  readonly event: EventRecord;
}

interface RefusedPage {
  readonly checks: readonly RefusedCheck[];
  /** `null`: there are no older ones. */
  readonly next: string | null;
}

/** Refused checks, newest first, in pages of up to {@link MOST_AT_ONCE}. */
export function useRefusedChecks(filters: RefusedFilters): UseInfiniteQueryResult<InfiniteData<RefusedPage>> {
  return useInfiniteQuery({
    queryKey: [...REFUSED, filters],
    queryFn: ({ pageParam, signal }) => readPage(filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
}

async function readPage(filters: RefusedFilters, before: string | null, signal: AbortSignal): Promise<RefusedPage> {
  const { agent, outcome, violation, rule } = filters;
  const query = {
    ...{ type: 'action.checked', allowed: false, total: false, limit: MOST_AT_ONCE },
    ...{ agentId: agent, outcome, violation_type: violation, rule },
  };
  let next = before;
  for (let read = 1; ; read += 1) {
    const page = await ask<{ readonly events: readonly EventRecord[]; readonly next: string | null }>('/v1/events', {
      query: { ...query, before: next },
      signal,
    });
    next = page.next;
    if (page.events.length > 0) return { checks: await followedUp(page.events, signal), next };
    if (next === null || read >= MOST_READ) return { checks: [], next };
  }
}

async function followedUp(events: readonly EventRecord[], signal: AbortSignal): Promise<readonly RefusedCheck[]> {
  const eventIds = events.map(({ eventId }) => eventId).join(',');
  const { checks } = await ask<{ readonly checks: readonly FollowedUpCheck[] }>('/v1/alerts/follow-ups', {
    query: { eventIds, limit: 1 },
    signal,
  });
  const byId = new Map(checks.map((check) => [check.eventId, check]));
  return events.map((event) => {
    const { count = 0, latestAt = null } = byId.get(event.eventId) ?? {};
    return { event, count, latestAt };
  });
}
