import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { AgentRecord, EventDetail, EventRecord } from '@countersign/contracts';
import { SAMPLE_ACTIONS, SAMPLE_PROFILE } from '../screens/welcome/sample-actions.js';
import { anchoringWait } from './anchoring-wait.js';
import { ask } from './ask.js';
import { client } from './client.js';

export const SAMPLE_AGENT = 'Airline demo';
/** Slow enough to be watched. */
const BETWEEN_MS = 150;
/** Interval while there is no check yet: another tab may run the sample. */
const IDLE_MS = 15_000;
/** After an answer in which a check was anchored between two questions. */
const AGAIN_MS = 1000;
const MOST = 200;

/**
 * Lets the sample's agent act: makes it unless there is one, issues a key for it alone, asks about each action by that key
 * as a program of the reader would, and revokes the key.
 */
export function useSampleRun(): UseMutationResult<
  string,
  Error,
  { readonly agentId: string | null; readonly onChecked: (count: number) => void }
> {
  return useMutation({
    mutationFn: async ({ agentId: known, onChecked }) => {
      const agentId = known ?? (await newSampleAgent());
      const { id, key } = await ask<{ readonly id: string; readonly key: string }>('/v1/api-keys', {
        method: 'POST',
        body: { name: 'sample run', agentIds: [agentId], rights: ['check'] },
      });
      try {
        for (const [index, action] of SAMPLE_ACTIONS.entries()) {
          const body = { agentId, action };
          await ask('/v1/check', { method: 'POST', headers: { 'x-service-key': key }, body });
          onChecked(index + 1);
          await new Promise((resolve) => window.setTimeout(resolve, BETWEEN_MS));
        }
      } finally {
        await ask(`/v1/api-keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
      }
      return agentId;
    },
    onSettled: () =>
      Promise.all(['agents', 'api-keys', 'sample'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
    gcTime: 0,
  });
}

async function newSampleAgent(): Promise<string> {
  const { id } = await ask<AgentRecord>('/v1/agents', { method: 'POST', body: { name: SAMPLE_AGENT } });
  await ask(`/v1/agents/${encodeURIComponent(id)}/profile`, { method: 'PATCH', body: SAMPLE_PROFILE });
  return id;
}

/** The newest checks of the sample's agent, as recorded. */
export interface SampleState {
  readonly checks: readonly EventRecord[];
  readonly total: number;
  /** End of the window of the oldest check that is not anchored; `null`: all are. */
  readonly dueBy: string | null;
}

/** Asked for until all are anchored, when that can have changed. @param agentId `null`: there is no such agent yet */
export function useSampleState(agentId: string | null): UseQueryResult<SampleState> {
  return useQuery({
    queryKey: ['sample', agentId],
    queryFn: async ({ signal }): Promise<SampleState> => {
      const query = { agentId, type: 'action.checked', limit: MOST };
      const answer = await ask<{ readonly events: readonly EventRecord[]; readonly total: number }>('/v1/events', {
        query,
        signal,
      });
      const oldest = answer.events.findLast(({ anchored }) => !anchored);
      const detail =
        oldest === undefined
          ? null
          : await ask<EventDetail>(`/v1/events/${encodeURIComponent(oldest.eventId)}`, { signal });
      return { checks: answer.events, total: answer.total, dueBy: detail?.dueBy ?? null };
    },
    enabled: agentId !== null,
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || data.checks.length === 0) return IDLE_MS;
      if (data.dueBy !== null) return anchoringWait(data.dueBy, Date.now());
      return data.checks.some(({ anchored }) => !anchored) ? AGAIN_MS : false;
    },
  });
}
