import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { devicesApi } from '#contract/devices.ts';
import { storageApi } from '#contract/storage.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { call } from './client.ts';

/** Telemetry of so many devices is deleted with one request. */
const DEVICES_PER_REQUEST = 100;

export const storageQueries = {
  /** Whether the service can write. The stream announces changes; the free space is read again only meanwhile. */
  get: () =>
    queryOptions({
      queryKey: ['storage'],
      queryFn: ({ signal }) => call(storageApi.get, { signal }),
      staleTime: 60_000,
      refetchInterval: ({ state: { data } }) =>
        data === undefined || data.state === 'writable' ? 60_000 : 5_000,
    }),
};

/** Goes on without the samples that a file has lost. */
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

/** Deletes telemetry of all devices that is older than `to` (such as `-30d`); resolves to how many samples went. */
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
