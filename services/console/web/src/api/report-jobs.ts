import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { ReportJobBody, ReportJobRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';
import { REPORTS } from './reports.js';

const JOBS = ['report-jobs'];
const SHOWN = 10;
const RUNNING_MS = 1_000;
const IDLE_MS = 15_000;

/** True if a job has neither issued all its reports nor failed. */
export const isOpen = ({ state }: Pick<ReportJobRecord, 'state'>): boolean => state !== 'done' && state !== 'failed';

/** The newest report jobs; asked for every second while one of them is open. */
export function useReportJobs(): UseQueryResult<readonly ReportJobRecord[]> {
  return useQuery({
    queryKey: JOBS,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<readonly ReportJobRecord[]>(JOBS) ?? [];
      const query = { limit: SHOWN };
      const { jobs } = await ask<{ jobs: readonly ReportJobRecord[] }>('/v1/report-jobs', { query, signal });
      const issued = (some: readonly ReportJobRecord[]): number =>
        some.reduce((n, { reports }) => n + reports.length, 0);
      if (issued(jobs) !== issued(before)) void client.invalidateQueries({ queryKey: REPORTS });
      return jobs;
    },
    refetchInterval: ({ state: { data } }) => (data?.some(isOpen) === true ? RUNNING_MS : IDLE_MS),
  });
}

/** Starts a report in the background. */
export function useNewJob(): UseMutationResult<ReportJobRecord, Error, ReportJobBody> {
  return useMutation({
    mutationFn: (body) => ask<ReportJobRecord>('/v1/report-jobs', { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: JOBS }),
  });
}

/** Cancels a job, or removes one that has ended. */
export function useRemoveJob(): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (id) => ask(`/v1/report-jobs/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSettled: () => client.invalidateQueries({ queryKey: JOBS }),
  });
}
