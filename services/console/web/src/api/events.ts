import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { EventRecord } from '@countersign/contracts';
import { apiFilters, isCounted } from '../screens/events/event-filters.js';
import type { EventFilters } from '../screens/events/event-filters.js';
import { ask } from './ask.js';

interface Answer {
  readonly events: readonly EventRecord[];
  /** Absent: the events are not counted. */
  readonly total?: number;
  /** Sent as `before` for the next page of events that are not counted. */
  readonly next?: string | null;
}

export interface EventPage {
  readonly events: readonly EventRecord[];
  /** `null`: not known. */
  readonly total: number | null;
  readonly next: string | null;
  readonly offset: number;
  /** When the list was opened, ms: presets count back from it. */
  readonly openedAt: number;
}

export type EventPages = InfiniteData<EventPage, PageStart>;

interface PageStart {
  readonly offset: number;
  /** Of events that are not counted: where the page begins; `null`: with the newest. */
  readonly before: string | null;
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
/** Calls for one page of events that are not counted: the server looks through a bounded number of events in each. */
const MOST_CALLS = 20;
const FIRST: PageStart = { offset: 0, before: null, openedAt: null, to: null };

/**
 * Events that match, newest first, in pages.
 * @param opened changes when the list is to be read again from its newest event
 */
export function useEvents(filters: EventFilters, opened: number): UseInfiniteQueryResult<EventPages> {
  return useInfiniteQuery({
    queryKey: ['events', filters, opened],
    queryFn: async ({ pageParam, signal }): Promise<EventPage> => {
      const openedAt = pageParam.openedAt ?? Date.now();
      const { offset, before, to } = pageParam;
      const query = { ...apiFilters(filters, openedAt, to), limit: PAGE };
      if (!isCounted(filters)) return { ...(await uncounted(query, before, signal)), offset, openedAt };
      const { events, total = null } = await ask<Answer>('/v1/events', { query: { ...query, offset }, signal });
      return { events, total, next: null, offset, openedAt };
    },
    initialPageParam: FIRST,
    getNextPageParam: ({ offset, events, next: before }, pages): PageStart | undefined => {
      const [first] = pages;
      const next = offset + events.length;
      if (first === undefined) return undefined;
      const isLast = first.total === null ? before === null : events.length === 0 || next >= first.total;
      return isLast ? undefined : { offset: next, before, openedAt: first.openedAt, to: endOf(first) };
    },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** A page of events that are not counted: calls in which few events match are made one after another. */
async function uncounted(
  query: Readonly<Record<string, string | number>>,
  from: string | null,
  signal: AbortSignal,
): Promise<Pick<EventPage, 'events' | 'total' | 'next'>> {
  const events: EventRecord[] = [];
  let before = from;
  for (let call = 0; call < MOST_CALLS && events.length < PAGE; call += 1) {
    const place = before === null ? { total: 'false' } : { before };
    const answer = await ask<Answer>('/v1/events', { query: { ...query, ...place }, signal });
    events.push(...answer.events);
    before = answer.next ?? null;
    if (before === null) break;
  }
  return { events, total: null, next: before };
}

/** ISO time after the newest event of a page, exclusive; `null` if it has none. */
export function endOf({ events }: Pick<EventPage, 'events'>): string | null {
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
    enabled: first !== undefined && isCounted(filters),
    refetchInterval: isLive ? LIVE_EVERY_MS : NEW_EVERY_MS,
    retry: false,
  });
}

/** Number of events that match: for a list that is empty, without one of its filters. Not asked for where they are not counted. */
export function useTotal(filters: EventFilters): UseQueryResult<number> {
  return useQuery({
    queryKey: ['events-total', filters],
    queryFn: ({ signal }) => total(filters, Date.now(), signal),
    enabled: isCounted(filters),
  });
}

async function total(filters: EventFilters, openedAt: number, signal: AbortSignal): Promise<number> {
  const query = { ...apiFilters(filters, openedAt, null), limit: 1 };
  return (await ask<Answer>('/v1/events', { query, signal })).total ?? 0;
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
