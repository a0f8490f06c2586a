import { useEffect, useEffectEvent, useState } from 'react';
import { devicesApi, type DeviceBatch } from '#contract/devices.ts';
import { describeError } from '../../../api/api-error.ts';
import { call } from '../../../api/client.ts';
import { readPages } from '../../../api/paged-list.ts';
import { showToast } from '../../../ui/feedback/toast.ts';
import type { ListSelection } from '../../../ui/table/use-selection.ts';

type Filter = NonNullable<DeviceBatch['filter']>;

/** Devices enter and leave these filters on their own. */
const changesByItself = ({ state, silentFor }: Filter): boolean =>
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
export const useSelectAll = (filter: Filter, { selectAll, set }: ListSelection) => {
  const key = JSON.stringify(filter);
  /** The filter whose devices are read. */
  const [readKey, setReadKey] = useState<string | null>(null);
  const [foundCount, setFoundCount] = useState(0);
  const stop = () => setReadKey(null);
  const select = useEffectEvent((ids: readonly string[]) => {
    set(ids, true);
    stop();
  });
  const report = useEffectEvent((error: unknown) => {
    showToast({ title: 'The devices were not selected', detail: describeError(error).detail, tone: 'bad' });
    stop();
  });
  useEffect(() => {
    if (readKey !== key) return undefined;
    const reading = new AbortController();
    readMatching(JSON.parse(key) as Filter, reading.signal, setFoundCount).then(select, (error: unknown) => {
      if (!reading.signal.aborted) report(error);
    });
    return () => reading.abort();
  }, [readKey, key]);

  return {
    /** How many devices have been found. Null: none are being read. */
    foundCount: readKey === key ? foundCount : null,
    select: () => {
      if (!changesByItself(filter)) return selectAll();
      setFoundCount(0);
      setReadKey(key);
    },
    stop,
  };
};
