import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AgentRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

interface AgentPage {
  readonly agents: readonly AgentRecord[];
  readonly total: number;
}

const KEY = ['agents'];
const PAGE = 1000;

/** Conditions and order of a list of agents, as `GET /v1/agents` takes them. */
export interface AgentListQuery {
  /** Part of the name or id. */
  readonly q?: string;
  readonly status?: AgentRecord['status'] | null;
  readonly sort?: 'created_at' | 'name';
}

const ALL: AgentListQuery = {};

/** Agents of the account, newest first unless the query has them by name; those of the query before until they are read. */
export function useAgents(query: AgentListQuery = ALL): UseQueryResult<readonly AgentRecord[]> {
  return useQuery({
    queryKey: [...KEY, query],
    queryFn: ({ signal }) => allAgents(query, signal),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

async function allAgents(query: AgentListQuery, signal: AbortSignal): Promise<readonly AgentRecord[]> {
  const found = new Map<string, AgentRecord>();
  for (let offset = 0; ; offset += PAGE) {
    const { agents, total } = await ask<AgentPage>('/v1/agents', { query: { ...query, limit: PAGE, offset }, signal });
    for (const agent of agents) found.set(agent.id, agent);
    if (agents.length === 0 || offset + agents.length >= total) return [...found.values()];
  }
}

/** Names of the account's agents by id; empty until they are read. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const { data } = useAgents();
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}

/** Makes an agent with this name, and without rules. */
export function useNewAgent(): UseMutationResult<AgentRecord, Error, string> {
  return useMutation({
    mutationFn: (name) => ask<AgentRecord>('/v1/agents', { method: 'POST', body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export interface StateRequest {
  readonly id: string;
  readonly change: 'freeze' | 'unfreeze' | 'deactivate';
  readonly reason: string;
}

export interface ClientsRequest {
  readonly id: string;
  readonly oauth_client_ids: readonly string[];
}

/** Replaces the OAuth client ids of an agent. */
export function useSaveClients(): UseMutationResult<AgentRecord, Error, ClientsRequest> {
  return useMutation({
    mutationFn: ({ id, oauth_client_ids }) =>
      ask<AgentRecord>(`/v1/agents/${encodeURIComponent(id)}`, { method: 'PATCH', body: { oauth_client_ids } }),
    onSuccess: (_changed, { id }) =>
      Promise.all([['agent', id], KEY].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** Freezes an agent, ends that, or deactivates it. Screens change only by what the server answers. */
export function useChangeState(): UseMutationResult<AgentRecord, Error, StateRequest> {
  return useMutation({
    mutationFn: ({ id, change, reason }) =>
      ask<AgentRecord>(`/v1/agents/${encodeURIComponent(id)}/${change}`, {
        method: 'POST',
        body: reason === '' ? {} : { reason },
      }),
    onSuccess: (changed) => {
      client.setQueryData(['agent', changed.id], changed);
      client.setQueriesData<readonly AgentRecord[]>({ queryKey: KEY }, (agents) =>
        agents?.map((agent) => (agent.id === changed.id ? changed : agent)),
      );
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
}
