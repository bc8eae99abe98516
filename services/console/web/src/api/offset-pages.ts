import { ask } from './ask.js';
import type { AskOptions } from './ask.js';

/** A page of a list, from the record at `offset` on. */
export interface OffsetPage {
  /** Of the whole list. */
  readonly total: number;
  readonly offset: number;
}

interface OffsetPages<Page> {
  queryFn(asked: { readonly pageParam: number; readonly signal: AbortSignal }): Promise<Page>;
  readonly initialPageParam: number;
  getNextPageParam(page: Page): number | undefined;
}

/**
 * Options of `useInfiniteQuery` for a route that takes `limit` and `offset`.
 * @param query with the limit
 * @param rowsOf the records of a page
 */
export function offsetPages<Page extends OffsetPage>(
  path: string,
  query: NonNullable<AskOptions['query']>,
  rowsOf: (page: Page) => readonly unknown[],
): OffsetPages<Page> {
  return {
    queryFn: async ({ pageParam: offset, signal }) => ({
      ...(await ask<Page>(path, { query: { ...query, offset }, signal })),
      offset,
    }),
    initialPageParam: 0,
    getNextPageParam: (page) => {
      const rows = rowsOf(page).length;
      return rows > 0 && page.offset + rows < page.total ? page.offset + rows : undefined;
    },
  };
}
