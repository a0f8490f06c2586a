import type { Sort } from '../../ui/table/data-table-props.ts';

/**
 * Reads and writes the order of a list in the URL: one of `sorts`, `-` before it for descending. The default is left
 * out.
 */
export const sortInAddress = <const S extends string>(sorts: readonly S[], usual: S | `-${S}`) => {
  /** The `sort` for the request; the default if the URL has none or an unknown one. */
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

/** Reads and writes the filters and the order of a list in the URL. */
export type ListAddress<Filters> = {
  /** The filters in the URL; unknown values are ignored. */
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
