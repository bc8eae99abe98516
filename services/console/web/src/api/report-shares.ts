import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { NewShareRecord, ShareBody, ShareRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

const keyOf = (reportId: string): readonly string[] => ['report-shares', reportId];
const pathOf = (reportId: string): string => `/v1/reports/${encodeURIComponent(reportId)}/shares`;

/** The links of a report, newest first. */
export function useShares(reportId: string): UseQueryResult<readonly ShareRecord[]> {
  return useQuery({
    queryKey: keyOf(reportId),
    queryFn: async ({ signal }) => {
      const query = { limit: 100 };
      return (await ask<{ shares: readonly ShareRecord[] }>(pathOf(reportId), { query, signal })).shares;
    },
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
