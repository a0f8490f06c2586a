import { deviceListQuery, deviceSorts, deviceStates } from '#contract/devices.ts';
import type { DeviceFilters } from './device-queries.ts';
import { sortInAddress } from '../../ui/table/sort-in-address.ts';

const order = sortInAddress(deviceSorts, 'name');
export const { readSort, sortParam } = order;

const filterSchema = deviceListQuery.pick({ q: true, state: true, type: true, tag: true });

/** Reads the filters that the address holds; what is not one is left out, so that an old link still shows something. */
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

export const isFiltered = ({ q, state, type, tag }: DeviceFilters): boolean =>
  [q, state, type, tag].some((filter) => filter !== undefined);

/** The address with one parameter changed; an empty value takes it out. */
export const withParam = (
  params: URLSearchParams,
  name: string,
  values: readonly string[],
): URLSearchParams => {
  const next = new URLSearchParams(params);
  next.delete(name);
  for (const value of values) if (value !== '') next.append(name, value);
  return next;
};
