import { infiniteQueryOptions, keepPreviousData, type QueryKey } from '@tanstack/react-query';
import type { Page } from '#contract/paging.ts';

const PAGE_ROWS = 100;

/** Which page of a list. Counted once: the first one tells how many rows there are. */
type PageQuery = { limit: number } & ({ total: true } | { cursor: string });

/** A list that is read page by page as one scrolls. */
export const pagedList = <T>(
  queryKey: QueryKey,
  read: (page: PageQuery, signal: AbortSignal) => Promise<Page<T>>,
  limit = PAGE_ROWS,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      read({ limit, ...(pageParam === null ? { total: true } : { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

/** What a list can be narrowed by: its query without what chooses the page. */
export type FiltersOf<Query> = Omit<NonNullable<Query>, 'cursor' | 'limit' | 'total'>;

/** A change of one resource. `ifMatch`: the revision it was based on; the last one seen where left out, null: any. */
export type ChangeOf<Change> = { id: string; change: Change; ifMatch?: string | null | undefined };
