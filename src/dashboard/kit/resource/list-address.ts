import { sortInAddress } from '../../ui/table/sort-in-address.ts';
import type { Sort } from '../../ui/table/data-table-props.ts';

/** How the filters and the order of a list stand in the address. */
export type ListAddress<Filters> = {
  /** What the address asks for; what is not understood is left out. */
  readFilters: (params: URLSearchParams) => Filters;
  readSort: (params: URLSearchParams) => Sort;
  sortParam: (sort: Sort) => string;
};

const MAX_SEARCH = 200;

/** A list that is searched by name. `readMore` reads the filters that only this list has. */
export const listAddress = <const S extends string, More extends object = object>(
  sorts: readonly S[],
  usual: S | `-${S}`,
  readMore: (params: URLSearchParams) => More = () => ({}) as More,
) => {
  const { sortOf, readSort, sortParam } = sortInAddress(sorts, usual);
  return {
    readSort,
    sortParam,
    readFilters: (params: URLSearchParams) => {
      const q = params.get('q')?.trim().slice(0, MAX_SEARCH) ?? '';
      return { ...(q !== '' && { q }), ...readMore(params), sort: sortOf(params) };
    },
  } satisfies ListAddress<unknown>;
};
