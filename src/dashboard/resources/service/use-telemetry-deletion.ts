import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { devicesApi } from '#contract/devices.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { call } from '../../api/client.ts';

type Progress = {
  /** The number of deleted samples. */
  samples: number;
  /** The number of devices whose samples are deleted. */
  devices: number;
  /** The number of devices at the start; 0: unknown until the first request ends. */
  total: number;
  /** The cursor of the next page of devices; undefined: the first page, null: no more pages. */
  cursor: string | null | undefined;
};

export type TelemetryDeletion = Progress &
  (
    | { is: 'asking' | 'running' | 'cancelling' | 'finished' }
    /** Stopped before the last device. Without an error: cancelled. */
    | { is: 'stopped'; error?: unknown }
  );

/** The largest number of devices in one request. */
const DEVICES_PER_REQUEST = 100;

/** Deletes the samples of the next devices before `to` (such as `-30d`). */
const deleteNext = async (to: string, before: Progress): Promise<Progress> => {
  const { data, nextCursor, total } = await call(devicesApi.list, {
    query: {
      limit: DEVICES_PER_REQUEST,
      sort: 'id',
      ...(before.cursor == null ? { total: true } : { cursor: before.cursor }),
    },
  });
  const after = { ...before, total: total ?? before.total, cursor: nextCursor };
  if (data.length === 0) return after;
  const { deleted } = await call(telemetryApi.remove, {
    query: { device: data.map(({ id }) => id), from: '1970-01-01T00:00:00Z', to },
  });
  return { ...after, samples: before.samples + deleted, devices: before.devices + data.length };
};

const askBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();

/** Deletes old telemetry of all devices, request by request. */
export const useTelemetryDeletion = () => {
  const client = useQueryClient();
  const [deletion, setDeletion] = useState<TelemetryDeletion>({
    is: 'asking',
    samples: 0,
    devices: 0,
    total: 0,
    cursor: undefined,
  });
  const isCancelled = useRef(false);

  const runRequests = async (to: string, from: Progress): Promise<TelemetryDeletion> => {
    let progress = from;
    try {
      do {
        progress = await deleteNext(to, progress);
        if (progress.cursor === null) return { ...progress, is: 'finished' };
        setDeletion({ ...progress, is: isCancelled.current ? 'cancelling' : 'running' });
      } while (!isCancelled.current);
      return { ...progress, is: 'stopped' };
    } catch (error) {
      return { ...progress, is: 'stopped', error };
    }
  };

  /** Starts, or continues after a stop. Resolves to the outcome. */
  const run = async (to: string): Promise<TelemetryDeletion> => {
    isCancelled.current = false;
    const { samples, devices, total, cursor } = deletion;
    const progress = { samples, devices, total, cursor };
    setDeletion({ ...progress, is: 'running' });
    window.addEventListener('beforeunload', askBeforeUnload);
    const outcome = await runRequests(to, progress);
    window.removeEventListener('beforeunload', askBeforeUnload);
    setDeletion(outcome);
    void client.invalidateQueries();
    return outcome;
  };

  /** Stops after the current request, which the service completes in any case. */
  const cancel = () => {
    isCancelled.current = true;
    setDeletion((now) => (now.is === 'running' ? { ...now, is: 'cancelling' } : now));
  };

  return { deletion, run, cancel };
};
