import { devicesApi } from '#contract/devices.ts';
import { call } from '../../../api/client.ts';
import { readPages } from '../../../api/paged-list.ts';
import type { ListSelection, Selected } from '../../../ui/table/use-selection.ts';
import { useIdReading } from '../../../resources/devices/bulk/use-id-reading.ts';
import type { Filter } from '../../../resources/devices/bulk/bulk-change.ts';

/** Devices begin and cease to match these filters without an edit. */
const dependsOnTime = ({ state, silentFor }: Filter): boolean =>
  state !== undefined || silentFor !== undefined;

/** IDs of the devices that match now. `onPage`: how many have been read. */
const readMatching = async (
  filter: Filter,
  signal: AbortSignal,
  onPage: (count: number) => void,
): Promise<string[]> => {
  const ids: string[] = [];
  const pages = readPages((page) => call(devicesApi.list, { query: { ...filter, ...page }, signal }));
  for await (const devices of pages) {
    ids.push(...devices.map(({ id }) => id));
    onPage(ids.length);
  }
  return ids;
};

/**
 * Selects all devices that match the filter. With a filter by state, the devices that match now are selected by their IDs:
 * a change must not include devices that enter the state later.
 */
export const useSelectAll = (filter: Filter, { selected, selectAll, set }: ListSelection) => {
  /** The filter whose devices are read, and the selection that they are added to. */
  const { reading, readCount, start, stop } = useIdReading<{ filter: Filter; selected: Selected }>({
    read: (what, signal, onPage) => readMatching(what.filter, signal, onPage),
    onRead: (ids) => set(ids, true),
    failure: 'The devices were not selected',
  });
  // Another list, or a change of the selection: these devices were not meant.
  const isSameList = JSON.stringify(reading?.filter) === JSON.stringify(filter);
  if (reading !== null && (!isSameList || reading.selected !== selected)) stop();

  return {
    /** How many devices have been found. Null: none are being read. */
    foundCount: readCount,
    select: () => {
      if (!dependsOnTime(filter)) return selectAll();
      start({ filter, selected });
    },
    stop,
  };
};
