import { deviceListQuery, deviceSorts, deviceStates } from '#contract/devices.ts';
import { type DeviceFilters, deviceQueries } from '../../resources/devices/device-queries.ts';
import { sortInAddress } from '../../kit/resource/list-address.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';

const order = sortInAddress(deviceSorts, 'name');
export const { readSort, sortParam } = order;

const filterSchema = deviceListQuery.pick({ q: true, state: true, type: true, tag: true });

/** Reads the filters in the URL. Unknown values are ignored, so that an old link still works. */
export const readFilters = (params: URLSearchParams): DeviceFilters => {
  const q = params.get('q')?.trim() ?? '';
  const given = {
    ...(q !== '' && { q }),
    state: deviceStates.filter((state) => params.getAll('state').includes(state)),
    type: params.getAll('type'),
    tag: params.getAll('tag'),
  };
  const { state = [], type = [], tag = [], ...rest } = filterSchema.safeParse(given).data ?? {};
  return {
    ...rest,
    ...(state.length > 0 && { state }),
    ...(type.length > 0 && { type }),
    ...(tag.length > 0 && { tag }),
    sort: order.sortOf(params),
  };
};

/** The filters without the sort, which selects the same devices. */
export const filterOf = ({ q, state, type, tag }: DeviceFilters) => ({
  ...(q !== undefined && { q }),
  ...(state !== undefined && { state }),
  ...(type !== undefined && { type }),
  ...(tag !== undefined && { tag }),
});

export const isFiltered = (filters: DeviceFilters): boolean => Object.keys(filterOf(filters)).length > 0;

export const devicesLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(deviceQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
