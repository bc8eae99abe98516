import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { ComplianceScopeBody, ExportBody, ReportRecord } from '@countersign/contracts';
import { ask, askFile } from './ask.js';
import { keptFile } from './kept-file.js';
import { client } from './client.js';
import { offsetPages, type OffsetPage } from './offset-pages.js';

/** Key of the reports. */
export const REPORTS = ['reports'];
const SCOPE = ['compliance-scope'];
const PAGE = 50;

interface ReportPage extends OffsetPage {
  readonly reports: readonly ReportRecord[];
}

/** Reports, newest first, in pages. */
export function useReports(): UseInfiniteQueryResult<InfiniteData<ReportPage, number>> {
  return useInfiniteQuery({
    queryKey: REPORTS,
    ...offsetPages<ReportPage>('/v1/reports', { limit: PAGE }, ({ reports }) => reports),
  });
}

/** Issues a report. @returns its id */
export function useExport(): UseMutationResult<string, Error, ExportBody> {
  return useMutation({
    mutationFn: async (body) => {
      const { headers } = await askFile('/v1/events/export-signed', { method: 'POST', body });
      return headers.get('x-report-id') ?? '';
    },
    onSuccess: () => client.invalidateQueries({ queryKey: REPORTS }),
  });
}

/** The package of a report, byte for byte as issued. */
export function reportPackage(id: string): Promise<Blob> {
  return keptFile(`/v1/reports/${encodeURIComponent(id)}`, 'application/json');
}

/** Its PDF, which holds the package. */
export async function reportPdf(id: string): Promise<Blob> {
  return (await askFile(`/v1/reports/${encodeURIComponent(id)}`, { accept: 'application/pdf' })).content;
}

export async function publishReport(id: string, isPublic: boolean): Promise<void> {
  await ask(`/v1/reports/${encodeURIComponent(id)}`, { method: 'PATCH', body: { public: isPublic } });
  await client.invalidateQueries({ queryKey: REPORTS });
}

/** The declared scope of the account's frameworks. */
export function useScope(): UseQueryResult<ComplianceScopeBody> {
  return useQuery({
    queryKey: SCOPE,
    queryFn: ({ signal }) => ask<ComplianceScopeBody>('/v1/compliance-scope', { signal }),
  });
}

export function usePutScope(): UseMutationResult<ComplianceScopeBody, Error, ComplianceScopeBody> {
  return useMutation({
    mutationFn: (body) => ask<ComplianceScopeBody>('/v1/compliance-scope', { method: 'PUT', body }),
    onSuccess: (scope) => client.setQueryData(SCOPE, scope),
  });
}
