import { useEffect, useRef, useState } from 'react';
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

/**
 * Selects all devices that match the filter. With a filter by state, the devices that match now are selected by their IDs:
 * a change must not include devices that enter the state later.
 */
export const useSelectAll = (filter: Filter, { selectAll, set }: ListSelection) => {
  /** How many devices have been found. Null: none are being read. */
  const [foundCount, setFoundCount] = useState<number | null>(null);
  const reading = useRef<AbortController>(undefined);
  const key = JSON.stringify(filter);
  const stop = () => {
    reading.current?.abort();
    setFoundCount(null);
  };
  useEffect(
    () => () => {
      reading.current?.abort();
      setFoundCount(null);
    },
    [key],
  );

  const readMatching = async () => {
    const { signal } = (reading.current = new AbortController());
    setFoundCount(0);
    try {
      const ids: string[] = [];
      for await (const devices of readPages((page) =>
        call(devicesApi.list, { query: { ...filter, ...page }, signal }),
      )) {
        ids.push(...devices.map(({ id }) => id));
        setFoundCount(ids.length);
      }
      set(ids, true);
    } catch (error) {
      if (signal.aborted) return;
      showToast({
        title: 'The devices were not selected',
        detail: describeError(error).detail,
        tone: 'bad',
      });
    }
    setFoundCount(null);
  };

  return {
    foundCount,
    select: () => {
      if (changesByItself(filter)) void readMatching();
      else selectAll();
    },
    stop,
  };
};
