import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { Coverage, CoverageQuery, CoveringEvent, CoveringEventsQuery } from '@countersign/contracts';
import { ask } from './ask.js';
import { offsetPages, type OffsetPage } from './offset-pages.js';

const PAGE = 100;

/**
 * Counts the events of a range by control: when the screen is opened or a filter changes, as each count reads all events.
 * @param boundsNow gives the range at the time of the question; `null`: it is incomplete, and nothing is asked
 */
export function useCoverage(
  query: Pick<CoverageQuery, 'framework' | 'by' | 'agentId'>,
  range: string,
  boundsNow: () => { readonly from: string; readonly to: string } | null,
): UseQueryResult<Coverage> {
  return useQuery({
    queryKey: ['coverage', query, range],
    queryFn: ({ signal }) => ask<Coverage>('/v1/coverage', { query: { ...query, ...boundsNow() }, signal }),
    enabled: boundsNow() !== null,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

interface CoveringEventPage extends OffsetPage {
  readonly events: readonly CoveringEvent[];
}

/** The events behind a number of the coverage, newest first, in pages; `null`: nothing is asked. */
export function useCoveringEvents(
  query: Omit<CoveringEventsQuery, 'limit' | 'offset'> | null,
): UseInfiniteQueryResult<InfiniteData<CoveringEventPage, number>> {
  return useInfiniteQuery({
    queryKey: ['covering-events', query],
    ...offsetPages<CoveringEventPage>('/v1/coverage/events', { ...query, limit: PAGE }, ({ events }) => events),
    enabled: query !== null,
    staleTime: 60_000,
  });
}
