import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { devicesApi, type Device, type DeviceChange, type NewDevice } from '#contract/devices.ts';
import type { QueryOf } from '#contract/endpoint.ts';
import { call } from '../../api/client.ts';
import { pagedList, type ChangeOf, type FiltersOf } from '../../api/paged-list.ts';
import { detailKey, listsKey, queryKeys, totalsKey } from '../../api/query-keys.ts';

export type DeviceFilters = FiltersOf<QueryOf<typeof devicesApi.list>>;

export const deviceQueries = {
  /** All lists of devices, with any filters and order. */
  lists: () => listsKey('devices'),
  list: (filters: DeviceFilters = {}) =>
    // Without the total: counting the matches of a search may take longer than finding the first.
    pagedList([...deviceQueries.lists(), filters], ({ total: _, ...page }, signal) =>
      call(devicesApi.list, { query: { ...filters, ...page }, signal }),
    ),
  /** The number of devices that match filters. */
  total: ({ sort: _, ...filter }: DeviceFilters = {}) =>
    queryOptions({
      queryKey: [...totalsKey('devices'), filter],
      queryFn: async ({ signal }) =>
        (await call(devicesApi.list, { query: { ...filter, limit: 1, total: true }, signal })).total ?? 0,
      placeholderData: keepPreviousData,
    }),
  /** The first few that match a text, for pickers and the palette. */
  search: (q: string, limit = 8) =>
    queryOptions({
      queryKey: [...queryKeys.devices, 'search', q, limit],
      queryFn: ({ signal }) => call(devicesApi.list, { query: { ...(q !== '' && { q }), limit }, signal }),
      placeholderData: keepPreviousData,
    }),
  detail: (id: string) =>
    queryOptions({
      queryKey: detailKey('devices', id),
      queryFn: ({ signal }) => call(devicesApi.get, { params: { id }, signal }),
    }),
};

/** Refetches what a change of devices makes stale. */
export const refetchDevices = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: queryKeys.devices }),
    client.invalidateQueries({ queryKey: queryKeys.overview }),
  ]);

export const useCreateDevice = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewDevice) => call(devicesApi.create, { body }),
    onSuccess: (device) => {
      client.setQueryData(deviceQueries.detail(device.id).queryKey, device);
      void refetchDevices(client);
    },
  });
};

export const useChangeDevice = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change, ifMatch }: ChangeOf<DeviceChange>) =>
      call(devicesApi.change, { params: { id }, body: change, ifMatch }),
    onSuccess: (device) => {
      client.setQueryData(deviceQueries.detail(device.id).queryKey, device);
      void refetchDevices(client);
    },
  });
};

/** The key of the mutations that restore a device. */
export const deviceRestoration = ['device-restoration'] as const;

export const useRestoreDevice = () => {
  const client = useQueryClient();
  return useMutation({
    mutationKey: deviceRestoration,
    mutationFn: (id: string) => call(devicesApi.restore, { params: { id } }),
    onSuccess: () => refetchDevices(client),
  });
};

/** The key of the mutations that delete a device. */
export const deviceDeletion = ['device-deletion'] as const;

export const useDeleteDevice = () => {
  const client = useQueryClient();
  return useMutation({
    mutationKey: deviceDeletion,
    mutationFn: (device: Pick<Device, 'id'>) => call(devicesApi.remove, { params: { id: device.id } }),
    onSuccess: (_, { id }) => {
      // The page of the deleted device may still be open: a refetch would only fail. It is read when the page opens again.
      void client.invalidateQueries({ queryKey: detailKey('devices', id), refetchType: 'none' });
      void client.invalidateQueries({ queryKey: deviceQueries.lists() });
      void client.invalidateQueries({ queryKey: totalsKey('devices') });
      void client.invalidateQueries({ queryKey: queryKeys.overview });
    },
  });
};
