import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { EventDetail, EventWithProof, InclusionProof } from '@countersign/contracts';
import { ask, askFile } from './ask.js';
import { keptFile } from './kept-file.js';

/** While its window is open, an event is read again every few seconds. */
const OPEN_EVERY_MS = 3000;

/** One event with its leaf, window and outcomes. */
export function useEvent(id: string): UseQueryResult<EventDetail> {
  return useQuery({
    queryKey: ['event', id],
    queryFn: ({ signal }) => ask<EventDetail>(`/v1/events/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.anchored === false ? OPEN_EVERY_MS : false),
  });
}

/** An event as it was recorded, which only an erasure changes: it is not read again every few seconds. */
export function useRecorded(id: string): UseQueryResult<EventDetail> {
  return useQuery({
    queryKey: ['event-recorded', id],
    queryFn: ({ signal }) => ask<EventDetail>(`/v1/events/${encodeURIComponent(id)}`, { signal }),
    staleTime: 60_000,
  });
}

const proofPath = (id: string): string => `/v1/events/${encodeURIComponent(id)}/proof`;

/** The event as it is hashed with its proof, byte for byte as answered: what `/verify` and the API verify. */
export function eventProof(id: string): Promise<Blob> {
  return keptFile(proofPath(id));
}

/** As {@link eventProof}, for one of many events: it is not kept. */
export async function eventProofOnce(id: string): Promise<Blob> {
  return (await askFile(proofPath(id))).content;
}

/** The paths of an anchored event to its root. @param isWanted otherwise nothing is asked */
export function useInclusionProof(id: string, isWanted: boolean): UseQueryResult<InclusionProof> {
  return useQuery({
    queryKey: ['inclusion-proof', id],
    queryFn: async ({ signal }) => (await ask<EventWithProof>(proofPath(id), { signal })).proof,
    enabled: isWanted,
    staleTime: Infinity,
  });
}
