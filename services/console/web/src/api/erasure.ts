import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { ReportRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';
import { KEPT } from './kept-file.js';
import { REPORTS } from './reports.js';

/** Reports that are named before an erasure; of more, the number is shown. */
const MOST_NAMED = 20;

interface Opening {
  readonly reports: readonly ReportRecord[];
  readonly total: number;
}

/** The stored reports that an erasure of the event's content withdraws, newest first. */
export function useOpeningReports(eventId: string): UseQueryResult<Opening> {
  return useQuery({
    queryKey: [...REPORTS, 'opening', eventId],
    queryFn: ({ signal }) => ask<Opening>('/v1/reports', { query: { opens: eventId, limit: MOST_NAMED }, signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Erases the content of an event for good, for a reason that is recorded. */
export function useErasure(eventId: string): UseMutationResult<void, Error, string> {
  return useMutation({
    mutationFn: (reason) =>
      ask<void>(`/v1/events/${encodeURIComponent(eventId)}/content`, { method: 'DELETE', query: { reason } }),
    // Also after a 503: the content may be erased, and reports still be withdrawn.
    onSettled: () => {
      client.removeQueries({ queryKey: KEPT });
      return client.invalidateQueries();
    },
  });
}
