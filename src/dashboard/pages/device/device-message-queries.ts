import { queryOptions } from '@tanstack/react-query';
import { deviceMessagesApi } from '#contract/device-messages.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** The first message of a device appears by polling. Devices that write telemetry directly never have one. */
const FIRST_MESSAGE_MS = 2_000;
const MAX_POLLS = 150;
const REJECTIONS_MS = 5_000;

const readMessages = (deviceId: string, signal: AbortSignal) =>
  call(deviceMessagesApi.list, { params: { id: deviceId }, signal });

export const messagesOf = (deviceId: string) =>
  queryOptions({
    queryKey: [...queryKeys.deviceMessages, deviceId],
    queryFn: ({ signal }) => readMessages(deviceId, signal),
    refetchInterval: ({ state }) =>
      state.data?.pipelines.length === 0 && state.dataUpdateCount < MAX_POLLS ? FIRST_MESSAGE_MS : false,
    // The list does not change while it is read.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** The latest message of a device, if all of its samples were rejected; else null. Apart from the list, which does not change. */
export const lastRejectedMessage = (deviceId: string) =>
  queryOptions({
    queryKey: [...queryKeys.deviceMessages, deviceId, 'last-rejected'],
    queryFn: async ({ signal }) => {
      const latest = (await readMessages(deviceId, signal)).messages[0];
      return latest !== undefined && latest.rejected > 0 && latest.rejected >= latest.samples ? latest : null;
    },
    refetchInterval: REJECTIONS_MS,
  });
