import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  AgentRecord,
  BehaviorProfile,
  DryRunAnswer,
  EventExplanation,
  Explanation,
  ProfilePreview,
  ProfileVersion,
} from '@countersign/contracts';
import { ask } from './ask.js';
import type { AskOptions } from './ask.js';
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

/**
 * Replaces fields of the version that the change names; 409 if another version is in force.
 * @param onSaved called even if the caller is not shown any more
 */
export function useSaveProfile(
  id: string,
  onSaved?: (saved: SavedProfile) => void,
): UseMutationResult<SavedProfile, Error, ProfileFields> {
  return useMutation({
    mutationFn: (body) => ask<SavedProfile>(`${of(id)}/profile`, { method: 'PATCH', body }),
    onSuccess: (saved) => {
      onSaved?.(saved);
      return Promise.all(
        [['agent', id], ['agents'], ['versions', id], ['preview', id]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}

/** Newest checks on which a draft is judged. */
const LATEST = 1000;

/**
 * The decisions that a draft would have changed; an earlier question is cancelled by a later one.
 * @param version in force, on which the draft is judged; `null`: it has no rules yet
 */
export function useImpact(
  id: string,
  version: number | null,
  profile: ProfileFields | null,
): UseQueryResult<DryRunAnswer> {
  return useQuery({
    queryKey: ['impact', id, version, JSON.stringify(profile)],
    queryFn: ({ signal }) =>
      ask<DryRunAnswer>(`${of(id)}/profile/dry-run`, { method: 'POST', body: { profile, latest: LATEST }, signal }),
    enabled: profile !== null,
    gcTime: 30_000,
  });
}

/**
 * The profile as a draft would leave it, with what is found about it; an earlier question is cancelled by a later one.
 * @param version in force, which the draft changes
 * @param profile the fields that differ
 */
export function usePreview(id: string, version: number, profile: ProfileFields): UseQueryResult<ProfilePreview> {
  return useQuery({
    queryKey: ['preview', id, version, JSON.stringify(profile)],
    queryFn: ({ signal }) => previewOf(id, { profile }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 30_000,
  });
}

/** Asks once. @param body `rules` of a safety package to merge, `cases` to run */
export function previewOf(
  id: string,
  body: { readonly profile: ProfileFields; readonly rules?: unknown; readonly cases?: readonly unknown[] },
  options: Pick<AskOptions, 'signal'> = {},
): Promise<ProfilePreview> {
  return ask<ProfilePreview>(`${of(id)}/profile/preview`, { method: 'POST', body, ...options });
}

/**
 * The profile of a draft with rules of a safety package merged in.
 * @param version in force, which the draft changes
 * @param rules `undefined`: none are chosen
 */
export function useMerged(
  id: string,
  version: number,
  profile: ProfileFields,
  rules: unknown,
): UseQueryResult<ProfilePreview> {
  return useQuery({
    queryKey: ['preview', id, version, JSON.stringify(profile), rules],
    queryFn: ({ signal }) => previewOf(id, { profile, rules }, { signal }),
    enabled: rules !== undefined,
    gcTime: 30_000,
  });
}

export interface SafetyPackage {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly rules: ProfileFields;
}

export function useSafetyPackages(): UseQueryResult<readonly SafetyPackage[]> {
  return useQuery({
    queryKey: ['safety-packages'],
    queryFn: async ({ signal }) =>
      (await ask<{ packages: readonly SafetyPackage[] }>('/v1/safety-packages', { signal })).packages,
    staleTime: Infinity,
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

/** An action, explained under the profile in force and under a draft. */
export interface Explained {
  readonly action: unknown;
  readonly inForce: Explanation;
  /** `null`: the draft has no changes. */
  readonly draft: Explanation | null;
}

/** @param body `action`, and a draft as `profile` */
function explain(id: string, body: object, options: Pick<AskOptions, 'signal'> = {}): Promise<Explanation> {
  return ask<Explanation>(`${of(id)}/explain`, { method: 'POST', body: { agentId: id, ...body }, ...options });
}

/** Explains an action; nothing is recorded. */
export function useExplain(
  id: string,
): UseMutationResult<Explained, Error, { readonly action: unknown; readonly changes: ProfileFields | null }> {
  return useMutation({
    mutationFn: async ({ action, changes }) => {
      const [inForce, draft] = await Promise.all([
        explain(id, { action }),
        changes === null ? null : explain(id, { action, profile: changes }),
      ]);
      return { action, inForce, draft };
    },
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
    queryFn: ({ signal }) => explain(id, { action }, { signal }),
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
