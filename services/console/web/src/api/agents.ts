import { useMutation, useQuery } from '@tanstack/react-query';
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

/** All agents of the account, newest first. */
export function useAgents(): UseQueryResult<readonly AgentRecord[]> {
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => allAgents(signal), staleTime: 30_000 });
}

async function allAgents(signal: AbortSignal): Promise<readonly AgentRecord[]> {
  const found = new Map<string, AgentRecord>();
  for (let offset = 0; ; offset += PAGE) {
    const { agents, total } = await ask<AgentPage>('/v1/agents', { query: { limit: PAGE, offset }, signal });
    for (const agent of agents) found.set(agent.id, agent);
    if (agents.length === 0 || offset + agents.length >= total) return [...found.values()];
  }
}

/** Names of the account's agents by id; empty until they are read. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const { data } = useAgents();
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}

export interface FreezeRequest {
  readonly id: string;
  readonly freeze: boolean;
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

/** The list changes only by what the server answers. */
export function useFreeze(): UseMutationResult<AgentRecord, Error, FreezeRequest> {
  return useMutation({
    mutationFn: ({ id, freeze, reason }) =>
      ask<AgentRecord>(`/v1/agents/${encodeURIComponent(id)}/${freeze ? 'freeze' : 'unfreeze'}`, {
        method: 'POST',
        body: reason === '' ? {} : { reason },
      }),
    onSuccess: (changed) => {
      client.setQueryData<readonly AgentRecord[]>(KEY, (agents) =>
        agents?.map((agent) => (agent.id === changed.id ? changed : agent)),
      );
    },
  });
}
