import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { EventRecord } from '@countersign/contracts';
import { apiFilters } from '../screens/events/event-filters.js';
import type { EventFilters } from '../screens/events/event-filters.js';
import { ask } from './ask.js';

interface Answer {
  readonly events: readonly EventRecord[];
  readonly total: number;
}

export interface EventPage extends Answer {
  readonly offset: number;
  /** When the list was opened, ms: presets count back from it. */
  readonly openedAt: number;
}

export type EventPages = InfiniteData<EventPage, PageStart>;

interface PageStart {
  readonly offset: number;
  readonly openedAt: number | null;
  /** ISO time after the newest event of the first page: later events would shift the pages. */
  readonly to: string | null;
}

const PAGE = 100;
const NEW_EVERY_MS = 5000;
/** With the live feed the count only finds what the feed left out. */
const LIVE_EVERY_MS = 15_000;
/** Events that are counted have come by the feed after this time. */
const FEED_MS = 1500;
const FIRST: PageStart = { offset: 0, openedAt: null, to: null };

/**
 * Events that match, newest first, in pages.
 * @param opened changes when the list is to be read again from its newest event
 */
export function useEvents(filters: EventFilters, opened: number): UseInfiniteQueryResult<EventPages> {
  return useInfiniteQuery({
    queryKey: ['events', filters, opened],
    queryFn: async ({ pageParam, signal }): Promise<EventPage> => {
      const openedAt = pageParam.openedAt ?? Date.now();
      const query = { ...apiFilters(filters, openedAt, pageParam.to), limit: PAGE, offset: pageParam.offset };
      return { ...(await ask<Answer>('/v1/events', { query, signal })), offset: pageParam.offset, openedAt };
    },
    initialPageParam: FIRST,
    getNextPageParam: ({ offset, events }, pages): PageStart | undefined => {
      const [first] = pages;
      const next = offset + events.length;
      if (first === undefined || events.length === 0 || next >= first.total) return undefined;
      return { offset: next, openedAt: first.openedAt, to: endOf(first) };
    },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** ISO time after the newest event of a page, exclusive; `null` if it has none. */
export function endOf({ events }: Answer): string | null {
  const [newest] = events;
  return newest === undefined ? null : new Date(Date.parse(newest.occurredAt) + 1).toISOString();
}

/** Every event of the pages once, in order. */
export function eventsOf(pages: EventPages | undefined): readonly EventRecord[] {
  const found = new Map<string, EventRecord>();
  for (const { events } of pages?.pages ?? []) for (const event of events) found.set(event.eventId, event);
  return [...found.values()];
}

/**
 * Number of events that match now; asked for every few seconds while the page is visible.
 * @param isLive whether the feed brings them as well: the count is less frequent then, and waits for the feed
 */
export function useTotalNow(
  filters: EventFilters,
  first: EventPage | undefined,
  isLive: boolean,
): UseQueryResult<number> {
  return useQuery({
    queryKey: ['events-now', filters, first?.openedAt],
    queryFn: async ({ signal }) => {
      const found = await total(filters, first?.openedAt ?? Date.now(), signal);
      if (isLive) await new Promise((resolve) => window.setTimeout(resolve, FEED_MS));
      return found;
    },
    enabled: first !== undefined,
    refetchInterval: isLive ? LIVE_EVERY_MS : NEW_EVERY_MS,
    retry: false,
  });
}

/** Number of events that match: for a list that is empty, without one of its filters. */
export function useTotal(filters: EventFilters): UseQueryResult<number> {
  return useQuery({
    queryKey: ['events-total', filters],
    queryFn: ({ signal }) => total(filters, Date.now(), signal),
  });
}

async function total(filters: EventFilters, openedAt: number, signal: AbortSignal): Promise<number> {
  const query = { ...apiFilters(filters, openedAt, null), limit: 1 };
  return (await ask<Answer>('/v1/events', { query, signal })).total;
}

/** Newest events of an agent that a session is looked for in: the most of one page. */
export const LOOKED_THROUGH = 100;

/** Events of an agent up to a time, newest first. @param to ISO time, inclusive */
export function useEventsUntil(agentId: string, to: string): UseQueryResult<readonly EventRecord[]> {
  const end = new Date(Date.parse(to) + 1).toISOString();
  return useQuery({
    queryKey: ['events-until', agentId, end],
    queryFn: async ({ signal }) =>
      (await ask<Answer>('/v1/events', { query: { agentId, to: end, limit: LOOKED_THROUGH }, signal })).events,
    staleTime: 60_000,
  });
}
