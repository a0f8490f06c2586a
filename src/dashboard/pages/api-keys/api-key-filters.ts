import type { ApiKeyFilters } from '../../resources/access/api-key-queries.ts';
import { sortInAddress } from '../../ui/table/sort-in-address.ts';

const order = sortInAddress(['name', 'createdAt', 'expiresAt', 'lastUsedAt'], '-createdAt');
export const { readSort, sortParam } = order;

export const showsRevoked = (params: URLSearchParams): boolean => params.get('revoked') === 'shown';

/** Reads what the address asks for; what is not understood is left out. */
export const readFilters = (params: URLSearchParams): ApiKeyFilters => {
  const q = params.get('q')?.trim().slice(0, 200) ?? '';
  return {
    ...(q !== '' && { q }),
    ...(!showsRevoked(params) && { revoked: false }),
    sort: order.sortOf(params),
  };
};
