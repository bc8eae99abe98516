import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { ApprovalRecord, ApprovalState, ApprovalSummary } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

/** A page of requests, newest first. */
export interface ApprovalPage {
  readonly approvals: readonly ApprovalSummary[];
  readonly next_cursor: string | null;
}

/** One approval; without `action` and its companions for who may neither decide about it nor audit. */
export type ShownApproval = Pick<ApprovalRecord, 'id' | 'state' | 'agent_id' | 'rule' | 'expires_at'> &
  Partial<ApprovalRecord>;

const LIST = ['approvals'];
const WAITING = ['approvals-waiting'];
const EVERY_MS = 10_000;
const OPEN_EVERY_MS = 3000;
const MOST_COUNTED = 100;

function page(status: ApprovalState | null, cursor: string | null, signal: AbortSignal): Promise<ApprovalPage> {
  return ask('/v1/approvals', { query: { status, cursor, limit: MOST_COUNTED }, signal });
}

/** The number of pending approvals, at most 100; asked for every few seconds while the page is visible. */
export function useWaitingApprovals(): UseQueryResult<number> {
  return useQuery({
    queryKey: WAITING,
    queryFn: async ({ signal }) => (await page('pending', null, signal)).approvals.length,
    refetchInterval: EVERY_MS,
    retry: false,
  });
}

/** Approvals in pages. @param status `null`: all */
export function useApprovals(
  status: ApprovalState | null,
): UseInfiniteQueryResult<InfiniteData<ApprovalPage, string | null>> {
  return useInfiniteQuery({
    queryKey: [...LIST, status],
    queryFn: ({ pageParam, signal }) => page(status, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : EVERY_MS),
  });
}

/** One approval, read again every few seconds while it waits. */
export function useApproval(id: string): UseQueryResult<ShownApproval> {
  return useQuery({
    queryKey: ['approval', id],
    queryFn: ({ signal }) => ask<ShownApproval>(`/v1/approvals/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? OPEN_EVERY_MS : false),
  });
}

export interface Decision {
  readonly decision: 'approve' | 'deny';
  readonly comment?: string;
  readonly shown_sha256?: string;
}

/** Decides about an approval as the person of the session. */
export function useDecide(id: string): UseMutationResult<ApprovalRecord, Error, Decision> {
  return useMutation({
    mutationFn: (body) =>
      ask<ApprovalRecord>(`/v1/approvals/${encodeURIComponent(id)}/decide`, { method: 'POST', body }),
    onSuccess: (decided) => client.setQueryData(['approval', id], decided),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['approval', id] }),
        client.invalidateQueries({ queryKey: LIST }),
        client.invalidateQueries({ queryKey: WAITING }),
      ]),
  });
}
