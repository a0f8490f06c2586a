import type { Sort } from '../../ui/table/data-table-props.ts';

/** How the order of a list stands in the address: one of `sorts`, `-` before it for descending; the usual one is left out. */
export const sortInAddress = <const S extends string>(sorts: readonly S[], usual: S | `-${S}`) => {
  /** What the service is asked for; what is not understood is the usual order. */
  const sortOf = (params: URLSearchParams): S | `-${S}` => {
    const text = params.get('sort') ?? '';
    const by = sorts.find((sort) => sort === text.replace(/^-/, ''));
    if (by === undefined) return usual;
    return text.startsWith('-') ? `-${by}` : by;
  };
  return {
    sortOf,
    readSort: (params: URLSearchParams): Sort => {
      const text = sortOf(params);
      return { by: text.replace(/^-/, ''), isDescending: text.startsWith('-') };
    },
    sortParam: ({ by, isDescending }: Sort): string => {
      const text = `${isDescending ? '-' : ''}${by}`;
      return text === usual ? '' : text;
    },
  };
};

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
