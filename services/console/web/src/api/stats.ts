import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { AgentStats, CheckStats } from '@countersign/contracts';
import { useCallback, useEffect, useRef } from 'react';
import { useFeed, useFeedState } from '../live/feed.js';
import type { LiveMessage } from '../live/messages.js';
import type { CountedRange } from '../screens/events/event-filters.js';
import { ask, AskError } from './ask.js';
import { client } from './client.js';

export type StatsRange = 'day' | 'week' | 'month';

const HOUR = 3_600_000;
const HOUR_SECONDS = 3600;
const HOURS: Readonly<Record<StatsRange, number>> = { day: 24, week: 168, month: 720 };
const EVERY_MS = 5000;
/** With the live feed the counts are asked for when something has happened. */
const LIVE_EVERY_MS = 60_000;
/** How soon counts follow an event, and how often they are asked for at most. */
const FOLLOW_MS = 1500;

/** The bounds of a range that ends now, as parameters. */
function bounds(range: StatsRange): { readonly from: string; readonly to: string } {
  const now = Date.now();
  return { from: new Date(now - HOURS[range] * HOUR).toISOString(), to: new Date(now + 1000).toISOString() };
}

/**
 * Checks over time, asked for every few seconds while the page is visible.
 * @param agentId absent: of all agents
 */
export function useCheckStats(
  range: StatsRange,
  by: 'outcome' | 'violation_type',
  agentId?: string,
): UseQueryResult<CheckStats> {
  const isLive = useFeedState().kind === 'live';
  return useQuery({
    queryKey: ['stats', range, by, agentId],
    queryFn: ({ signal }) => {
      const step = range === 'month' ? 86_400 : 3600;
      return ask<CheckStats>('/v1/stats/checks', { query: { ...bounds(range), step, by, agentId }, signal });
    },
    refetchInterval: isLive ? LIVE_EVERY_MS : EVERY_MS,
    placeholderData: keepPreviousData,
  });
}

/** Members of checks by which they are counted. */
export type CountedBy = 'outcome' | 'violation_type' | 'rule' | 'agent';

/** As often as counts beside a list are asked for: the list itself is live. */
const BESIDE_LIST_MS = 15_000;

/**
 * Checks in the range of a list, by one of their members.
 * @param range `null`: not asked for
 */
export function useChecksBy(
  by: CountedBy,
  range: CountedRange | null,
  agentId: string | null,
): UseQueryResult<CheckStats> {
  return useQuery({
    queryKey: ['checks-by', by, range, agentId],
    queryFn: async ({ signal }) => {
      const { from, to, step } = range!;
      const times = { from: new Date(from).toISOString(), to: new Date(to ?? Date.now() + 1000).toISOString() };
      const query = { ...times, step, by, top: 12, ...(agentId === null ? {} : { agentId }) };
      try {
        return await ask<CheckStats>('/v1/stats/checks', { query, signal });
      } catch (error) {
        // Hours are counted beforehand, however many events they have.
        const isTooMany = error instanceof AskError && error.status === 400 && step < HOUR_SECONDS && by !== 'rule';
        if (!isTooMany) throw error;
        return ask<CheckStats>('/v1/stats/checks', { query: { ...query, step: HOUR_SECONDS }, signal });
      }
    },
    enabled: range !== null,
    refetchInterval: BESIDE_LIST_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The agents with the most checks. */
export function useAgentStats(range: StatsRange): UseQueryResult<readonly AgentStats[]> {
  const isLive = useFeedState().kind === 'live';
  return useQuery({
    queryKey: ['agent-stats', range],
    queryFn: async ({ signal }) =>
      (
        await ask<{ agents: readonly AgentStats[] }>('/v1/stats/agents', {
          query: { ...bounds(range), limit: 10 },
          signal,
        })
      ).agents,
    refetchInterval: isLive ? LIVE_EVERY_MS : EVERY_MS,
    placeholderData: keepPreviousData,
  });
}

/** Reads the counts again soon after an event or a window has come by the feed. */
export function useLiveStats(): void {
  const timer = useRef<number | null>(null);
  useFeed(
    useCallback(({ name }: LiveMessage) => {
      if (name !== 'events' && name !== 'anchored') return;
      timer.current ??= window.setTimeout(() => {
        timer.current = null;
        for (const key of ['stats', 'agent-stats']) void client.invalidateQueries({ queryKey: [key] });
      }, FOLLOW_MS);
    }, []),
  );
  useEffect(
    () => () => {
      if (timer.current !== null) window.clearTimeout(timer.current);
    },
    [],
  );
}
