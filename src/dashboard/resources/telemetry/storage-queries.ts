import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { devicesApi } from '#contract/devices.ts';
import { storageApi } from '#contract/storage.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** The most devices in one DELETE. */
const DEVICES_PER_REQUEST = 100;

export const storageQueries = {
  /** The stream announces changes of the state; polling keeps the free space up to date. */
  get: () =>
    queryOptions({
      queryKey: queryKeys.storage,
      queryFn: ({ signal }) => call(storageApi.get, { signal }),
      staleTime: 60_000,
      refetchInterval: ({ state: { data } }) =>
        data === undefined || data.state === 'writable' ? 60_000 : 5_000,
    }),
};

/** Accepts that samples of telemetry.db are lost. */
export const useAcceptLoss = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(storageApi.acceptLoss, { body: { file: 'telemetry.db' } }),
    onSuccess: (storage) => {
      client.setQueryData(storageQueries.get().queryKey, storage);
      void client.invalidateQueries();
    },
  });
};

/** Deletes the samples of all devices before `to` (such as `-30d`). Resolves to the number of deleted samples. */
const deleteTelemetry = async (to: string): Promise<number> => {
  let deleted = 0;
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listDevices>> = await listDevices(cursor);
    cursor = page.nextCursor;
    const device = page.data.map(({ id }) => id);
    if (device.length === 0) break;
    const answer = await call(telemetryApi.remove, { query: { device, from: '1970-01-01T00:00:00Z', to } });
    deleted += answer.deleted;
  } while (cursor !== null);
  return deleted;
};

const listDevices = (cursor: string | null) =>
  call(devicesApi.list, { query: { limit: DEVICES_PER_REQUEST, ...(cursor !== null && { cursor }) } });

export const useDeleteTelemetry = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: deleteTelemetry,
    onSettled: () => void client.invalidateQueries(),
  });
};
