import { infiniteQueryOptions, keepPreviousData, type QueryKey } from '@tanstack/react-query';
import type { Page } from '#contract/paging.ts';

const PAGE_ROWS = 100;

/** Which page of a list. Only the first page asks for the total. */
type PageQuery = { limit: number; total?: true; cursor?: string };

/** A list that is loaded page by page on scroll. */
export const pagedList = <P extends Page<unknown>>(
  queryKey: QueryKey,
  read: (page: PageQuery, signal: AbortSignal) => Promise<P>,
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

/** The items of the loaded pages. */
export const loadedItems = <T>(data: { pages: readonly Page<T>[] } | undefined): T[] =>
  data?.pages.flatMap((page) => page.data) ?? [];

/** The largest page that the service returns. */
const MAX_PAGE_ROWS = 200;

/** The pages of a list, from the first to the last. */
export async function* readPages<T>(
  read: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
  limit = MAX_PAGE_ROWS,
): AsyncGenerator<T[], void> {
  let page = await read({ limit });
  yield page.data;
  while (page.nextCursor !== null) {
    page = await read({ limit, cursor: page.nextCursor });
    yield page.data;
  }
}

/** All items of a list. */
export const readAll = async <T>(
  read: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
): Promise<T[]> => {
  const items: T[] = [];
  for await (const page of readPages(read)) items.push(...page);
  return items;
};

/** The filters of a list: its query without paging. */
export type FiltersOf<Query> = Omit<NonNullable<Query>, 'cursor' | 'limit' | 'total'>;

/** A change of one resource. `ifMatch`: the revision that it is based on. Default: the last one seen; null: any. */
export type ChangeOf<Change> = { id: string; change: Change; ifMatch?: string | null | undefined };
