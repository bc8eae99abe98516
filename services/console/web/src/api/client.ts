import { QueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { AskError } from './ask.js';

const MOST_RETRIES = 2;

/** Refusals that a repetition may not have: no answer, and those with `Retry-After` but for locked sign-ins. */
function mayPass(failures: number, error: unknown): boolean {
  if (failures >= MOST_RETRIES || !(error instanceof AskError)) return false;
  return error.status === 503;
}

/** Answers are kept in memory alone, and for five minutes after their last use. */
export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      gcTime: 300_000,
      retry: mayPass,
      retryDelay: (attempt, error) =>
        1000 * (error instanceof AskError && error.retryAfter !== null ? error.retryAfter : 2 ** attempt),
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

type Awaited = Pick<UseQueryResult, 'isLoading' | 'failureCount' | 'errorUpdateCount'>;

/**
 * True while one of them may soon have its first answer: one that failed is no longer waited for, although it is repeated,
 * which alone sets its count of failures back.
 */
export function areAwaited(queries: readonly Awaited[]): boolean {
  return queries.some(
    ({ isLoading, failureCount, errorUpdateCount }) => isLoading && failureCount === 0 && errorUpdateCount === 0,
  );
}
