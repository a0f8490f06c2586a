import { destinationSorts } from '#contract/destinations.ts';
import type { DestinationFilters } from '../../resources/destinations/destination-queries.ts';
import { sortInAddress } from '../../ui/table/sort-in-address.ts';

const order = sortInAddress(destinationSorts, 'name');
export const { readSort, sortParam } = order;

/** Reads what the address asks for; what is not understood is left out. */
export const readFilters = (params: URLSearchParams): DestinationFilters => {
  const q = params.get('q')?.trim().slice(0, 200) ?? '';
  return { ...(q !== '' && { q }), sort: order.sortOf(params) };
};
