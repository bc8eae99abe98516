import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseMutationResult } from '@tanstack/react-query';
import type { NewShareRecord, ShareBody, ShareRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';
import { offsetPages, type OffsetPage } from './offset-pages.js';

const keyOf = (reportId: string): readonly string[] => ['report-shares', reportId];
const pathOf = (reportId: string): string => `/v1/reports/${encodeURIComponent(reportId)}/shares`;

const PAGE = 50;

interface SharePage extends OffsetPage {
  readonly shares: readonly ShareRecord[];
}

/** The links of a report, newest first. */
export function useShares(reportId: string): UseInfiniteQueryResult<InfiniteData<SharePage>> {
  return useInfiniteQuery({
    queryKey: keyOf(reportId),
    ...offsetPages<SharePage>(pathOf(reportId), { limit: PAGE }, ({ shares }) => shares),
  });
}

/** Makes a link; its address is in this answer alone. */
export function useNewShare(reportId: string): UseMutationResult<NewShareRecord, Error, ShareBody> {
  return useMutation({
    mutationFn: (body) => ask<NewShareRecord>(pathOf(reportId), { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(reportId) }),
  });
}

export async function revokeShare({ reportId, id }: Pick<ShareRecord, 'reportId' | 'id'>): Promise<void> {
  await ask(`${pathOf(reportId)}/${encodeURIComponent(id)}`, { method: 'DELETE' });
  await client.invalidateQueries({ queryKey: keyOf(reportId) });
}
