import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { AgentRecord, EventDetail, EventRecord } from '@countersign/contracts';
import { SAMPLE_ACTIONS, SAMPLE_PROFILE, SAMPLE_RULES } from '../screens/welcome/sample-actions.js';
import { anchoringWait } from './anchoring-wait.js';
import { ask } from './ask.js';
import { client } from './client.js';

/** Names of the agents that the first steps make: without and with rules. */
export const SAMPLE_AGENTS = { free: 'Airline demo', ruled: 'Airline demo with rules' } as const;
export type SampleAgent = keyof typeof SAMPLE_AGENTS;
const PROFILES = { free: SAMPLE_PROFILE, ruled: { ...SAMPLE_PROFILE, ...SAMPLE_RULES } } as const;

/** Slow enough to be watched: all actions take twelve seconds. */
export const PACE_MS = 500;
/** Between the actions of an agent that keeps acting. */
const ACTING_MS = 1000;
/** Interval while there is no check yet: another tab may run the sample. */
const IDLE_MS = 15_000;
/** After an answer in which a check was anchored between two questions. */
const AGAIN_MS = 1000;
const MOST = 200;

export interface SampleRun {
  /** `null`: the agent is made first. */
  readonly agentId: string | null;
  /** Between two actions. */
  readonly paceMs: number;
  readonly onChecked: (count: number) => void;
}

/**
 * Lets an agent of the sample act: makes it unless there is one, issues a key for it alone, asks about each action by that key
 * as a program of the reader would, and revokes the key.
 */
export function useSampleRun(agent: SampleAgent): UseMutationResult<string, Error, SampleRun> {
  return useMutation({
    mutationFn: async ({ agentId: known, paceMs, onChecked }) => {
      const agentId = known ?? (await newSampleAgent(agent));
      await withKey(agentId, async (key) => {
        for (const [index, action] of SAMPLE_ACTIONS.entries()) {
          await check(agentId, action, key);
          onChecked(index + 1);
          await pause(paceMs);
        }
      });
      return agentId;
    },
    onSettled: () => refreshed('agents', 'sample', 'impact'),
    gcTime: 0,
  });
}

/** Lets an agent act on and on while the component is shown and the switch is on. */
export function useActing(agentId: string | null): {
  readonly isActing: boolean;
  readonly error: Error | null;
  readonly set: (isActing: boolean) => void;
} {
  const [isActing, setActing] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const next = useRef(0);
  useEffect(() => {
    if (!isActing || agentId === null) return undefined;
    const ended = new AbortController();
    const { signal } = ended;
    const act = async (key: string): Promise<void> => {
      while (!signal.aborted) {
        await check(agentId, SAMPLE_ACTIONS[next.current % SAMPLE_ACTIONS.length]!, key);
        next.current += 1;
        await pause(ACTING_MS);
      }
    };
    withKey(agentId, act, signal).catch((failure: unknown) => {
      if (signal.aborted) return;
      setError(failure as Error);
      setActing(false);
    });
    return () => ended.abort();
  }, [isActing, agentId]);
  const set = (value: boolean): void => {
    setError(null);
    setActing(value);
  };
  return { isActing, error, set };
}

/** Calls `use` with a key for this agent and for checks alone, and revokes it: afterwards, and where the page is closed meanwhile. */
async function withKey(
  agentId: string,
  use: (key: string) => Promise<void>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { id, key } = await ask<{ readonly id: string; readonly key: string }>('/v1/api-keys', {
    method: 'POST',
    body: { name: 'sample run', agentIds: [agentId], rights: ['check'] },
  });
  const revoke = (): Promise<void> =>
    ask(`/v1/api-keys/${encodeURIComponent(id)}`, { method: 'DELETE', keepalive: true });
  const closed = (): void => void revoke().catch(() => undefined);
  window.addEventListener('pagehide', closed);
  try {
    if (!signal.aborted) await use(key);
  } finally {
    window.removeEventListener('pagehide', closed);
    await revoke();
    void refreshed('api-keys');
  }
}

async function check(agentId: string, action: unknown, key: string): Promise<void> {
  await ask('/v1/check', { method: 'POST', headers: { 'x-service-key': key }, body: { agentId, action } });
  void refreshed('sample');
}

async function newSampleAgent(agent: SampleAgent): Promise<string> {
  const { id } = await ask<AgentRecord>('/v1/agents', { method: 'POST', body: { name: SAMPLE_AGENTS[agent] } });
  await ask(`/v1/agents/${encodeURIComponent(id)}/profile`, { method: 'PATCH', body: PROFILES[agent] });
  return id;
}

function refreshed(...keys: readonly string[]): Promise<unknown> {
  // A reading that is under way goes on: on a slow connection, checks once a second would cancel each.
  return Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: [key] }, { cancelRefetch: false })));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, milliseconds));
}

/** The newest checks of an agent of the sample, as recorded. */
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
