import { queryOptions } from '@tanstack/react-query';
import { deviceMessagesApi, type DeviceMessage, type DeviceMessages } from '#contract/device-messages.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** Messages appear by polling, the first ones soon. Devices that write telemetry directly never have one. */
const FIRST_MESSAGE_MS = 2_000;
const MAX_FIRST_POLLS = 150;
const MESSAGES_MS = 15_000;

export const messagesOf = (deviceId: string) =>
  queryOptions({
    queryKey: [...queryKeys.deviceMessages, deviceId],
    queryFn: ({ signal }) => call(deviceMessagesApi.list, { params: { id: deviceId }, signal }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.pipelines.length === 0 && dataUpdateCount < MAX_FIRST_POLLS ? FIRST_MESSAGE_MS : MESSAGES_MS,
  });

/** The latest message with rejected samples of the device, or null. */
export const lastWithRejectionsOf = ({ messages }: DeviceMessages): DeviceMessage | null =>
  messages.find(({ rejections }) => rejections.length > 0) ?? null;

/** The latest message of a device, if all of its samples were rejected; else null. */
export const lastRejectedOf = ({ messages: [latest] }: DeviceMessages): DeviceMessage | null =>
  latest !== undefined && latest.rejected > 0 && latest.rejected >= latest.samples ? latest : null;
