import { deviceListQuery, deviceSorts } from '#contract/devices.ts';
import { type DeviceFilters, deviceQueries } from '../../resources/devices/device-queries.ts';
import { SEARCH_LENGTH } from '#contract/paging.ts';
import { sortInAddress } from '../../kit/resource/list-address.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';

const order = sortInAddress(deviceSorts, 'name');
export const { readSort, sortParam } = order;

const { silentFor: silentForSchema, ...schemas } = deviceListQuery.shape;

const listParams = ['state', 'type', 'tag', 'withoutTag'] as const;

/** The valid values of a filter, as many as the service accepts. */
const readValues = (params: URLSearchParams, name: (typeof listParams)[number]): string[] => {
  const values: string[] = [];
  for (const value of new Set(params.getAll(name)))
    if (schemas[name].safeParse([...values, value]).success) values.push(value);
  return values;
};

/** The names of the filters in the URL, except the search. */
export const filterParams = [...listParams, 'silentFor'];

/**
 * Reads the filters in the URL. Unknown values are ignored, so that an old link still works. Each is read on its own:
 * a lost filter would select more devices.
 */
export const readFilters = (params: URLSearchParams): DeviceFilters => {
  const silentFor = silentForSchema.safeParse(Number(params.get('silentFor'))).data;
  const q = params.get('q')?.trim().slice(0, SEARCH_LENGTH);
  const lists = listParams.map((name) => [name, readValues(params, name)] as const);
  return {
    ...(q && { q }),
    ...Object.fromEntries(lists.filter(([, values]) => values.length > 0)),
    ...(silentFor !== undefined && { silentFor }),
    sort: order.sortOf(params),
  };
};

/** The filters without the sort, which selects the same devices. */
export const filterOf = ({ sort: _, ...filter }: DeviceFilters) => filter;

export const isFiltered = (filters: DeviceFilters): boolean => Object.keys(filterOf(filters)).length > 0;

/** Whether there are filters that chips show: all but the search. */
export const hasChips = ({ q: _, ...filters }: DeviceFilters): boolean => isFiltered(filters);

/** The key of the tag that the devices are grouped by; null for the list. */
export const readGroup = (params: URLSearchParams): string | null => {
  const key = params.get('group') ?? '';
  return /^[A-Za-z0-9._-]{1,64}$/.test(key) ? key : null;
};

export const devicesLoader = ({ request }: LoaderFunctionArgs) => {
  const filters = readFilters(new URL(request.url).searchParams);
  void queryClient.prefetchInfiniteQuery(deviceQueries.list(filters));
  void queryClient.prefetchQuery(deviceQueries.total(filters));
  return null;
};
