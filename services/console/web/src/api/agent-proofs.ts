import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { AgentCompleteness, AnchoredWindowRecord } from '@countersign/contracts';
import { useFeed } from '../live/feed.js';
import type { LiveMessage } from '../live/messages.js';
import { ask } from './ask.js';
import { client } from './client.js';

/** Numbers, windows and gaps of one agent; `null`: it has none yet. Read again when a window of the agent is anchored. */
export function useAgentCompleteness(agentId: string): UseQueryResult<AgentCompleteness | null> {
  useFeed(
    useCallback(
      ({ name, data }: LiveMessage) => {
        if (name !== 'anchored' || !data.agents.some((agent) => agent.agentId === agentId)) return;
        for (const key of ['completeness', 'windows']) void client.invalidateQueries({ queryKey: [key, agentId] });
      },
      [agentId],
    ),
  );
  return useQuery({
    queryKey: ['completeness', agentId],
    queryFn: async ({ signal }) =>
      (await ask<{ agents: readonly AgentCompleteness[] }>('/v1/completeness', { query: { agentId }, signal }))
        .agents[0] ?? null,
  });
}

/** Windows of a page. */
export const WINDOWS = 50;

/**
 * Anchored windows of an agent, newest first: a page, and the window after it, which shows a gap at its end.
 * @param before of windows whose first number is below this one; `null`: from the newest on
 */
export function useWindows(agentId: string, before: number | null): UseQueryResult<readonly AnchoredWindowRecord[]> {
  return useQuery({
    queryKey: ['windows', agentId, before],
    queryFn: async ({ signal }) => {
      const query = { before, limit: WINDOWS + 1 };
      const path = `/v1/agents/${encodeURIComponent(agentId)}/windows`;
      return (await ask<{ windows: readonly AnchoredWindowRecord[] }>(path, { query, signal })).windows;
    },
    placeholderData: keepPreviousData,
  });
}
