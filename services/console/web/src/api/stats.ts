import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { AgentStats, CheckStats } from '@countersign/contracts';
import { ask } from './ask.js';

export type StatsRange = 'day' | 'week' | 'month';

const HOUR = 3_600_000;
const HOURS: Readonly<Record<StatsRange, number>> = { day: 24, week: 168, month: 720 };
const EVERY_MS = 5000;

/** The bounds of a range that ends now, as parameters. */
function bounds(range: StatsRange): { readonly from: string; readonly to: string } {
  const now = Date.now();
  return { from: new Date(now - HOURS[range] * HOUR).toISOString(), to: new Date(now + 1000).toISOString() };
}

/** Checks over time, asked for every few seconds while the page is visible. */
export function useCheckStats(range: StatsRange, by: 'outcome' | 'violation_type'): UseQueryResult<CheckStats> {
  return useQuery({
    queryKey: ['stats', range, by],
    queryFn: ({ signal }) => {
      const step = range === 'month' ? 86_400 : 3600;
      return ask<CheckStats>('/v1/stats/checks', { query: { ...bounds(range), step, by }, signal });
    },
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
}

/** The agents with the most checks. */
export function useAgentStats(range: StatsRange): UseQueryResult<readonly AgentStats[]> {
  return useQuery({
    queryKey: ['agent-stats', range],
    queryFn: async ({ signal }) =>
      (
        await ask<{ agents: readonly AgentStats[] }>('/v1/stats/agents', {
          query: { ...bounds(range), limit: 10 },
          signal,
        })
      ).agents,
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
}
