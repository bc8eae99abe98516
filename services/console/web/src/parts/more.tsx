import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { words } from '../words/en.js';

/** Reads the next page of a list. A click while one is read changes nothing. */
export function More({
  pages: { isFetchingNextPage, fetchNextPage },
  isBelow = false,
}: {
  readonly pages: Pick<UseInfiniteQueryResult, 'isFetchingNextPage' | 'fetchNextPage'>;
  /** Below the table of a screen, with a distance of its own. */
  readonly isBelow?: boolean;
}): ReactNode {
  return (
    <button
      type="button"
      className={isBelow ? 'button more' : 'button'}
      aria-disabled={isFetchingNextPage}
      onClick={() => (isFetchingNextPage ? undefined : void fetchNextPage())}
    >
      {words.more}
    </button>
  );
}
