import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { SignInMethods } from '@countersign/contracts';
import { ask, AskError } from './ask.js';

type Offer = SignInMethods['singleSignOn'] & object;

/** In the storage of this tab: the place to continue at after the return from the provider. */
const PLACE = 'countersign-place';

/** The provider at which people may sign in; `null`: there is none. */
export function useSingleSignOn(): UseQueryResult<Offer | null> {
  return useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: async ({ signal }) => (await ask<SignInMethods>('/v1/auth/methods', { signal })).singleSignOn,
    staleTime: 60_000,
  });
}

/** Leaves the page for the provider, if that can be asked; its answer is shown otherwise. */
export function useLeaveForProvider(): UseMutationResult<void, Error, Offer> {
  return useMutation({
    mutationFn: async ({ url }) => {
      await mayStart(url);
      keepPlace(window.location.hash);
      window.location.assign(url);
    },
  });
}

/** @throws AskError if the start would show a refusal in place of the provider's page */
async function mayStart(url: string): Promise<void> {
  // At another address of this service the policy of the page does not let it ask.
  if (new URL(url).origin !== window.location.origin) return;
  const response = await fetch(url, { redirect: 'manual', credentials: 'same-origin', cache: 'no-store' });
  if (response.type === 'opaqueredirect') return;
  const body: unknown = await response.json().catch(() => null);
  const reason = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';
  throw new AskError(response.status, reason, response.headers.get('x-request-id'), null);
}

function keepPlace(hash: string): void {
  try {
    window.sessionStorage.setItem(PLACE, hash);
  } catch {
    // Without storage the first screen follows.
  }
}

/** The place that was kept, once; `null`: none, or the address names one. */
export function keptPlace(): string | null {
  try {
    const place = window.sessionStorage.getItem(PLACE);
    window.sessionStorage.removeItem(PLACE);
    return window.location.hash === '' && place?.startsWith('#/') === true ? place : null;
  } catch {
    return null;
  }
}
