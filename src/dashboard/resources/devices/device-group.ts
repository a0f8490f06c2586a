import type { DeviceFacet, DeviceFacets } from '#contract/devices.ts';
import { paths, withQuery } from '../../paths.ts';
import { tagValueLabel } from './tag-list.tsx';
import type { DeviceFilters } from './device-queries.ts';

/** Devices with the same value of a tag. `isRest`: the devices without the tag. */
export type DeviceGroup = Omit<DeviceFacet, 'value'> & { name: string; path: string; isRest: boolean };

/** In natural order, the devices without the tag last. */
export const byName = (a: DeviceGroup, b: DeviceGroup): number =>
  Number(a.isRest) - Number(b.isRest) || a.name.localeCompare(b.name, 'en', { numeric: true });

const worstFirst = (a: DeviceGroup, b: DeviceGroup): number =>
  b.byState.offline - a.byState.offline ||
  b.byState.late - a.byState.late ||
  b.total - a.total ||
  byName(a, b);

/** The groups of devices by a tag, worst first; each leads to the list of its devices. */
export const groupsOf = (
  { data, without }: DeviceFacets,
  key: string,
  filter: Omit<DeviceFilters, 'sort'> = {},
): DeviceGroup[] => {
  const { q, state, type, tag = [], withoutTag = [], silentFor } = filter;
  const pathTo = (more: { tag?: string; withoutTag?: string }) =>
    withQuery(paths.devices, {
      q,
      state,
      type,
      tag: [...new Set([...tag, more.tag ?? ''])],
      withoutTag: [...new Set([...withoutTag, more.withoutTag ?? ''])],
      silentFor: silentFor === undefined ? undefined : String(silentFor),
    });
  const groups = data.map(({ value, ...counts }) => ({
    ...counts,
    name: tagValueLabel(value),
    path: pathTo({ tag: `${key}:${value}` }),
    isRest: false,
  }));
  if (without === null || without.total === 0) return groups.toSorted(worstFirst);
  const rest = { ...without, name: `Without ${key}`, path: pathTo({ withoutTag: key }), isRest: true };
  return [...groups, rest].toSorted(worstFirst);
};
