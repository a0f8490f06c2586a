import type { DeviceState } from '#contract/device-filter.ts';
import type { DeviceFacet, DeviceFacets, deviceFacetsQuery, Tags } from '#contract/devices.ts';
import { foldCase } from '#contract/fold-case.ts';
import type * as z from 'zod';
import type { DeviceRow } from './device-store.ts';

export type FacetQuery = z.output<typeof deviceFacetsQuery>;
export type Counts = Omit<DeviceFacet, 'value'>;

export const noCounts = (): Counts => ({
  total: 0,
  byState: { online: 0, late: 0, offline: 0, 'never-seen': 0 },
});

/** The key of the tag whose values are counted; undefined for another property. */
export const tagKeyOf = (by: string): string | undefined =>
  by.startsWith('tag:') ? by.slice('tag:'.length) : undefined;

type Row = Pick<DeviceRow, 'state' | 'type' | 'tags'>;

const valuesOf = ({ state, type, tags }: Row, by: string): string[] => {
  if (by === 'state') return [state];
  if (by === 'type') return type === '' ? [] : [type];
  const all = JSON.parse(tags) as Tags;
  const key = tagKeyOf(by);
  if (key === undefined) return Object.keys(all);
  return Object.hasOwn(all, key) ? [all[key]!] : [];
};

/** A value with its counts. `key` orders values with equal counts. */
type Facet = DeviceFacet & { key: string };

/** Sorts values by their counts, and returns the first `limit` of them. */
export const firstFacets = <F extends Facet>(
  facets: readonly F[],
  { sort, limit }: Pick<FacetQuery, 'sort' | 'limit'>,
): F[] =>
  facets
    .toSorted(
      (a, b) =>
        (sort === '-offline'
          ? b.byState.offline - a.byState.offline || b.byState.late - a.byState.late
          : 0) ||
        b.total - a.total ||
        (a.key < b.key ? -1 : 1),
    )
    .slice(0, limit);

/** Counts devices by a property while they are read. */
export const createTally = (by: string) => {
  const byValue = new Map<string, Counts>();
  const without = noCounts();
  /** `value` undefined: devices without the property. */
  const add = (value: string | undefined, state: string, devices = 1): void => {
    const counts = value === undefined ? without : (byValue.get(value) ?? noCounts());
    if (value !== undefined) byValue.set(value, counts);
    counts.total += devices;
    counts.byState[state as DeviceState] += devices;
  };
  return {
    add,
    addRow: (row: Row): void => {
      const values = valuesOf(row, by);
      for (const value of values.length === 0 ? [undefined] : values) add(value, row.state);
    },
    result: (query: FacetQuery, isComplete: boolean): DeviceFacets => {
      const start = foldCase(query.prefix ?? '');
      const facets = [...byValue]
        .map(([value, counts]) => ({ value, ...counts, key: `${foldCase(value)}\n${value}` }))
        .filter(({ key }) => key.startsWith(start));
      return {
        data: firstFacets(facets, query).map(({ key: _, ...facet }) => facet),
        without: by === 'state' || by === 'tag' ? null : without,
        total: facets.length,
        isComplete,
      };
    },
  };
};
