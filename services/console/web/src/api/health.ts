import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { AgentCompleteness, AnchoringState } from '@countersign/contracts';
import { ask, AskError } from './ask.js';
import { offsetPages, type OffsetPage } from './offset-pages.js';

const EVERY_MS = 5000;
const PAGE = 20;

export interface Readiness {
  readonly ready: boolean;
  /** Reasons why the service waits; empty if it is ready. */
  readonly waitingFor: readonly string[];
}

/** Readiness of the process that decides: asked for every few seconds. */
export function useReadiness(): UseQueryResult<Readiness> {
  return useQuery({
    queryKey: ['readiness'],
    queryFn: ({ signal }) => readiness(signal),
    refetchInterval: EVERY_MS,
    retry: false,
  });
}

/** A service that waits answers 503 with its reasons, which is an answer here. */
async function readiness(signal: AbortSignal): Promise<Readiness> {
  let response: Response;
  try {
    response = await fetch('readyz', { cache: 'no-store', credentials: 'omit', signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new AskError(0, 'The server cannot be reached.', null, null);
  }
  const body = (await response.json().catch(() => ({}))) as { readonly waitingFor?: readonly string[] };
  return { ready: response.ok, waitingFor: body.waitingFor ?? [] };
}

/** How far the events of the account are anchored: asked for every few seconds. */
export function useAnchoring(): UseQueryResult<AnchoringState> {
  return useQuery({
    queryKey: ['anchoring'],
    queryFn: ({ signal }) => ask<AnchoringState>('/v1/anchoring', { signal }),
    refetchInterval: EVERY_MS,
  });
}

export interface CompletenessPage extends OffsetPage {
  readonly agents: readonly AgentCompleteness[];
}

/** Events and windows of each agent with the gaps between them, in pages. */
export function useCompleteness(): UseInfiniteQueryResult<InfiniteData<CompletenessPage, number>> {
  return useInfiniteQuery({
    queryKey: ['completeness'],
    ...offsetPages<CompletenessPage>('/v1/completeness', { limit: PAGE }, ({ agents }) => agents),
  });
}
