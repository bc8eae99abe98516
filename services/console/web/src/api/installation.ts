import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { InstallationState, Role } from '@countersign/contracts';
import { ask, AskError } from './ask.js';

/** While the page is visible. A chain that stops is noticed by anchoring within 7 s, and shown within 10. */
const EVERY_MS = 2500;

/** True if the page was served by an installation that does not show its state. */
function isOffHere(): boolean {
  return document.querySelector('meta[name="countersign-operations"]')?.getAttribute('content') === 'off';
}

/** The installation does not show its state: the page says so, or the answer, which names the variable. */
export function isOff(error: unknown): boolean {
  return isOffHere() || (error instanceof AskError && error.status === 404);
}

/** State of the services of the installation: for admins alone, asked for every few seconds unless it is off. */
export function useInstallation(role: Role): UseQueryResult<InstallationState> {
  return useQuery({
    queryKey: ['installation'],
    queryFn: ({ signal }) => ask<InstallationState>('/v1/operations', { signal }),
    enabled: role === 'admin' && !isOffHere(),
    refetchInterval: ({ state }) => (isOff(state.error) ? false : EVERY_MS),
    retry: false,
    retryOnMount: false,
  });
}
