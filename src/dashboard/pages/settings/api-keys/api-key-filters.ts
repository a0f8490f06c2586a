import type { ApiKeyFilters } from '../../../api/api-key-queries.ts';
import type { Sort } from '../../../ui/data-table-props.ts';

const sorts = ['name', 'createdAt', 'expiresAt', 'lastUsedAt'] as const;
const DEFAULT_SORT: Sort = { by: 'createdAt', isDescending: true };

export const readSort = (params: URLSearchParams): Sort => {
  const text = params.get('sort') ?? '';
  const by = sorts.find((sort) => sort === text.replace(/^-/, ''));
  return by === undefined ? DEFAULT_SORT : { by, isDescending: text.startsWith('-') };
};

export const sortParam = ({ by, isDescending }: Sort): string => {
  const text = `${isDescending ? '-' : ''}${by}`;
  return text === '-createdAt' ? '' : text;
};

export const showsRevoked = (params: URLSearchParams): boolean => params.get('revoked') === 'shown';

/** Reads what the address asks for; what is not understood is left out. */
export const readFilters = (params: URLSearchParams): ApiKeyFilters => {
  const q = params.get('q')?.trim().slice(0, 200) ?? '';
  const { by, isDescending } = readSort(params);
  return {
    ...(q !== '' && { q }),
    ...(!showsRevoked(params) && { revoked: false }),
    sort: `${isDescending ? '-' : ''}${by as (typeof sorts)[number]}`,
  };
};
