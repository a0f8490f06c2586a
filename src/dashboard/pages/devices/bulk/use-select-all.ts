import { useEffect, useEffectEvent, useState } from 'react';
import { devicesApi } from '#contract/devices.ts';
import { describeError } from '../../../api/api-error.ts';
import { call } from '../../../api/client.ts';
import { readPages } from '../../../api/paged-list.ts';
import { showToast } from '../../../ui/feedback/toast.ts';
import type { ListSelection, Selected } from '../../../ui/table/use-selection.ts';
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
  const [reading, setReading] = useState<{ filter: Filter; selected: Selected } | null>(null);
  const [foundCount, setFoundCount] = useState(0);
  const stop = () => setReading(null);
  // Another list, or a change of the selection: these devices were not meant.
  const isSameList = JSON.stringify(reading?.filter) === JSON.stringify(filter);
  if (reading !== null && (!isSameList || reading.selected !== selected)) stop();
  const select = useEffectEvent((ids: readonly string[]) => {
    set(ids, true);
    stop();
  });
  const report = useEffectEvent((error: unknown) => {
    showToast({ title: 'The devices were not selected', detail: describeError(error).detail, tone: 'bad' });
    stop();
  });
  useEffect(() => {
    if (reading === null) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const read = async () => {
      try {
        const ids = await readMatching(reading.filter, signal, setFoundCount);
        if (!signal.aborted) select(ids);
      } catch (error) {
        if (!signal.aborted) report(error);
      }
    };
    void read();
    return () => controller.abort();
  }, [reading]);

  return {
    /** How many devices have been found. Null: none are being read. */
    foundCount: reading === null ? null : foundCount,
    select: () => {
      if (!dependsOnTime(filter)) return selectAll();
      setFoundCount(0);
      setReading({ filter, selected });
    },
    stop,
  };
};
