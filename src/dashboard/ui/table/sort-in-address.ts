import type { Sort } from './data-table-props.ts';

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
