import { deviceListQuery, deviceSorts, deviceStates } from '#contract/devices.ts';
import type { DeviceFilters } from '../../api/device-queries.ts';
import type { Sort } from '../../ui/data-table-props.ts';

const DEFAULT_SORT: Sort = { by: 'name', isDescending: false };

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
  const { by, isDescending } = readSort(params);
  return {
    ...rest,
    ...(state.length > 0 && { state }),
    ...(type.length > 0 && { type }),
    ...(tag.length > 0 && { tag }),
    sort: `${isDescending ? '-' : ''}${by as (typeof deviceSorts)[number]}`,
  };
};

export const readSort = (params: URLSearchParams): Sort => {
  const text = params.get('sort') ?? '';
  const by = deviceSorts.find((sort) => sort === text.replace(/^-/, ''));
  return by === undefined ? DEFAULT_SORT : { by, isDescending: text.startsWith('-') };
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

export const sortParam = ({ by, isDescending }: Sort): string => {
  const text = `${isDescending ? '-' : ''}${by}`;
  return text === DEFAULT_SORT.by ? '' : text;
};
