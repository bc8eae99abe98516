import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  AgentRecord,
  BehaviorProfile,
  DryRunAnswer,
  EventExplanation,
  Explanation,
  ProfileVersion,
} from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

/** Fields of a profile that a change sets; `null` unsets one. */
export type ProfileFields = Readonly<Record<string, unknown>>;

/** A saved profile, with the parts of it that have no effect. */
export type SavedProfile = BehaviorProfile & { readonly warnings?: readonly string[] };

const of = (id: string): string => `/v1/agents/${encodeURIComponent(id)}`;

/** One agent with its profile. */
export function useAgent(id: string): UseQueryResult<AgentRecord> {
  return useQuery({ queryKey: ['agent', id], queryFn: ({ signal }) => ask<AgentRecord>(of(id), { signal }) });
}

/** Replaces fields of the version that the change names; 409 if another version is in force. */
export function useSaveProfile(id: string): UseMutationResult<SavedProfile, Error, ProfileFields> {
  return useMutation({
    mutationFn: (body) => ask<SavedProfile>(`${of(id)}/profile`, { method: 'PATCH', body }),
    onSuccess: () =>
      Promise.all(
        [['agent', id], ['agents'], ['versions', id]].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}

/** Newest checks on which a draft is judged. */
const LATEST = 1000;

/** The decisions that a draft would have changed; an earlier question is cancelled by a later one. */
export function useImpact(id: string, profile: ProfileFields | null): UseQueryResult<DryRunAnswer> {
  return useQuery({
    queryKey: ['impact', id, JSON.stringify(profile)],
    queryFn: ({ signal }) =>
      ask<DryRunAnswer>(`${of(id)}/profile/dry-run`, { method: 'POST', body: { profile, latest: LATEST }, signal }),
    enabled: profile !== null,
    gcTime: 30_000,
  });
}

/** Versions of the profile, newest first; at most 200. */
export function useVersions(id: string): UseQueryResult<readonly ProfileVersion[]> {
  return useQuery({
    queryKey: ['versions', id],
    queryFn: async ({ signal }) =>
      (
        await ask<{ versions: readonly ProfileVersion[] }>(`${of(id)}/profile/versions`, {
          query: { limit: 200 },
          signal,
        })
      ).versions,
  });
}

/** A version as it was committed; its `profile` is `null` if it is erased. */
export type CommittedVersion = ProfileVersion & { readonly profile: BehaviorProfile | null };

export function useVersion(id: string, version: number): UseQueryResult<CommittedVersion> {
  return useQuery({
    queryKey: ['version', id, version],
    queryFn: ({ signal }) => ask<CommittedVersion>(`${of(id)}/profile/versions/${version}`, { signal }),
    staleTime: Infinity,
  });
}

/** Explains an action under the profile in force; nothing is recorded. */
export function useExplain(id: string): UseMutationResult<Explanation, Error, unknown> {
  return useMutation({
    mutationFn: (action) => ask<Explanation>(`${of(id)}/explain`, { method: 'POST', body: { agentId: id, action } }),
  });
}

const NOW_EVERY_MS = 10_000;

/**
 * Explains an action of a check by the facts and balances of now.
 * @param action `null`: not known yet, so that there is no explanation
 * @param isWaiting whether it is explained again every few seconds
 */
export function useExplanationNow(id: string, action: object | null, isWaiting: boolean): UseQueryResult<Explanation> {
  return useQuery({
    queryKey: ['explanation-now', id, action],
    queryFn: ({ signal }) =>
      ask<Explanation>(`${of(id)}/explain`, { method: 'POST', body: { agentId: id, action }, signal }),
    enabled: action !== null,
    refetchInterval: isWaiting ? NOW_EVERY_MS : false,
    retry: false,
  });
}

/** Explains a recorded check under the profile of then. */
export function useEventExplanation(eventId: string): UseQueryResult<EventExplanation> {
  return useQuery({
    queryKey: ['event-explanation', eventId],
    queryFn: ({ signal }) => ask<EventExplanation>(`/v1/events/${encodeURIComponent(eventId)}/explanation`, { signal }),
    staleTime: 60_000,
  });
}
