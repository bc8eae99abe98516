import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { useFeed } from '../live/feed.js';
import type { LiveMessage } from '../live/messages.js';
import { ask } from './ask.js';
import { client } from './client.js';

const TYPE = 'action.checked';
/** While there is no check yet; the feed brings one sooner. */
const WAIT_MS = 3000;

/** The newest check of an agent; `null` while there is none. */
export function useNewestCheck(agentId: string): UseQueryResult<EventRecord | null> {
  useFeed(
    useCallback(
      (message: LiveMessage) => {
        if (message.name !== 'events') return;
        const check = message.data.events.findLast((event) => event.agentId === agentId && event.type === TYPE);
        if (check !== undefined) client.setQueryData(keyOf(agentId), check);
      },
      [agentId],
    ),
  );
  return useQuery({
    queryKey: keyOf(agentId),
    queryFn: async ({ signal }) => {
      const query = { agentId, type: TYPE, limit: 1 };
      const { events } = await ask<{ readonly events: readonly EventRecord[] }>('/v1/events', { query, signal });
      return events[0] ?? null;
    },
    refetchInterval: ({ state }) => ((state.data ?? null) === null ? WAIT_MS : false),
  });
}

function keyOf(agentId: string): readonly string[] {
  return ['newest-check', agentId];
}
