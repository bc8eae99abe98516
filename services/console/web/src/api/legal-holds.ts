import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseMutationResult } from '@tanstack/react-query';
import type { LegalHoldRecord, NewHoldBody } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';
import { offsetPages, type OffsetPage } from './offset-pages.js';

const KEY = ['legal-holds'];
const PATH = '/v1/legal-holds';
const PAGE = 50;
/** Time between two looks at a hold that an erasure of before may still reach, ms. */
const SETTLING_MS = 5_000;

interface HoldPage extends OffsetPage {
  readonly holds: readonly LegalHoldRecord[];
}

/** The legal holds of the account, newest first, released ones included. */
export function useLegalHolds(isAllowed: boolean): UseInfiniteQueryResult<InfiniteData<HoldPage>> {
  return useInfiniteQuery({
    queryKey: KEY,
    enabled: isAllowed,
    ...offsetPages<HoldPage>(PATH, { limit: PAGE }, ({ holds }) => holds),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ holds }) => holds.some((hold) => hold.state === 'settling')) === true
        ? SETTLING_MS
        : false,
  });
}

export function useNewHold(): UseMutationResult<LegalHoldRecord, Error, NewHoldBody> {
  return useMutation({
    mutationFn: (body) => ask<LegalHoldRecord>(PATH, { method: 'POST', body }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

/** Releases the hold of this id, for good. */
export function useRelease(id: string): UseMutationResult<LegalHoldRecord, Error, string> {
  return useMutation({
    mutationFn: (reason) =>
      ask<LegalHoldRecord>(`${PATH}/${encodeURIComponent(id)}/release`, { method: 'POST', body: { reason } }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
