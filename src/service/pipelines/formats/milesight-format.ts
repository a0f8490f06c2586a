import { putField } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

type DeviceData = JsonObject & { readonly deviceProfile: JsonObject; readonly createdTime: unknown };

const dataIn = (item: unknown): DeviceData | undefined => {
  if (!isObject(item) || item['eventType'] !== 'DEVICE_DATA' || !isObject(item['data'])) return undefined;
  const { deviceProfile } = item['data'];
  return isObject(deviceProfile)
    ? { ...item['data'], deviceProfile, createdTime: item['eventCreatedTime'] }
    : undefined;
};

const writeData = (writer: MessageWriter, data: DeviceData): void => {
  const { devEUI, sn, deviceId, name } = data.deviceProfile;
  const id = [devEUI, sn, deviceId].find((each) => each !== undefined && each !== null && each !== '');
  const device = typeof id === 'number' ? String(id) : id;
  if (typeof device === 'string' && typeof name === 'string') writer.nameDevice(device, name);
  const { payload, ts, createdTime } = data;
  for (const [field, value] of Object.entries(isObject(payload) ? payload : {}))
    putField(writer, field, value);
  if (writer.hasSamples) writer.endGroup(device, ts ?? createdTime ?? undefined);
};

/**
 * Webhooks of the Milesight Development Platform: the payload of a device is its metrics. Events without a payload,
 * such as `ONLINE`, are skipped.
 * Source: https://www.milesight.com/development-platform/docs/en/api-reference/event-device-data.html
 */
export const milesightFormat: MessageFormat = {
  name: 'milesight',
  write: (message, writer) => {
    const items: unknown[] = Array.isArray(message) ? message : [message];
    const found = items.map(dataIn);
    if (found.length === 0 || found.includes(undefined)) return false;
    for (const data of found) writeData(writer, data!);
    writer.isSkipped = found.every(
      (data) => !isObject(data!['payload']) || Object.keys(data!['payload']).length === 0,
    );
    return true;
  },
};
