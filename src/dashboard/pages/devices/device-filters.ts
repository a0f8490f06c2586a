import { deviceListQuery, deviceSorts, deviceStates } from '#contract/devices.ts';
import { type DeviceFilters, deviceQueries } from '../../resources/devices/device-queries.ts';
import { sortInAddress } from '../../kit/resource/list-address.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';

const order = sortInAddress(deviceSorts, 'name');
export const { readSort, sortParam } = order;

const textFilters = deviceListQuery.pick({ q: true, state: true, type: true, tag: true, withoutTag: true });
const { silentFor: silentForSchema } = deviceListQuery.shape;

/** The names of the filters in the URL, except the search. */
export const filterParams = ['state', 'type', 'tag', 'silentFor', 'withoutTag'] as const;

/** Reads the filters in the URL. Unknown values are ignored, so that an old link still works. */
export const readFilters = (params: URLSearchParams): DeviceFilters => {
  const silentFor = silentForSchema.safeParse(Number(params.get('silentFor'))).data;
  const given = {
    q: params.get('q')?.trim() ?? '',
    state: deviceStates.filter((state) => params.getAll('state').includes(state)),
    type: params.getAll('type'),
    tag: params.getAll('tag'),
    withoutTag: params.getAll('withoutTag'),
  };
  const filters = Object.entries(textFilters.safeParse(given).data ?? {}).filter(
    ([, value]) => value !== undefined && value.length > 0,
  );
  return {
    ...Object.fromEntries(filters),
    ...(silentFor !== undefined && { silentFor }),
    sort: order.sortOf(params),
  };
};

/** The filters without the sort, which selects the same devices. */
export const filterOf = ({ sort: _, ...filter }: DeviceFilters) => filter;

export const isFiltered = (filters: DeviceFilters): boolean => Object.keys(filterOf(filters)).length > 0;

/** The key of the tag that the devices are grouped by; null for the list. */
export const readGroup = (params: URLSearchParams): string | null => {
  const key = params.get('group') ?? '';
  return /^[A-Za-z0-9._-]{1,64}$/.test(key) ? key : null;
};

export const devicesLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(deviceQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
