import { useEffect } from 'react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { EventRecord } from '@countersign/contracts';
import type { EventPages } from '../../api/events.js';
import { hrefOf, replacePlace } from '../../location.js';

/** Pages that are read in search of an event that the address names. */
const MOST_PAGES = 10;

export interface Selection {
  readonly id: string | null;
  /** `null`: not among the events that were read. */
  readonly event: EventRecord | null;
  /** Further pages are read in search of it. */
  readonly isSearching: boolean;
  readonly select: (id: string | null) => void;
  /** Selects the next event of the list (1) or the previous one (-1). */
  readonly move: (by: 1 | -1) => void;
}

/** The event that the address names, within the filtered list. @param members of the address besides the event */
export function useSelection(
  id: string | null,
  members: Readonly<Record<string, string | null>>,
  events: readonly EventRecord[],
  pages: UseInfiniteQueryResult<EventPages>,
): Selection {
  const index = id === null ? -1 : events.findIndex(({ eventId }) => eventId === id);
  const { hasNextPage, isFetching, fetchNextPage, data, isError } = pages;
  const mayFind = id !== null && index < 0 && hasNextPage && !isError && (data?.pages.length ?? 0) < MOST_PAGES;
  useEffect(() => {
    if (mayFind && !isFetching) void fetchNextPage();
  }, [mayFind, isFetching, fetchNextPage]);
  const select = (next: string | null): void => replacePlace(hrefOf('/events', { ...members, event: next }));
  return {
    id,
    event: events[index] ?? null,
    isSearching: mayFind || pages.isPending,
    select,
    move(by) {
      const next = events[index + by];
      if (index >= 0 && next !== undefined) select(next.eventId);
    },
  };
}
