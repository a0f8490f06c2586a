import { externalIdOf } from './external-id-of.ts';
import { isObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import { isTimedValues, writeTimedValues, type TimedValues } from './thingsboard-format.ts';

const isDevice = (entry: [string, unknown]): entry is [string, TimedValues[]] =>
  Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(isTimedValues);

/**
 * `{ "Device A": [{ ts?, values }] }`: several devices by name. If a name is not a valid external ID, its slug is the
 * external ID, and the name becomes the display name.
 * Source: https://thingsboard.io/docs/reference/gateway-api/telemetry/
 */
export const thingsboardGatewayFormat: MessageFormat = {
  name: 'thingsboard-gateway',
  write: (message, writer) => {
    if (!isObject(message)) return false;
    const devices = Object.entries(message);
    if (devices.length === 0 || !devices.every(isDevice)) return false;
    for (const [name, items] of devices) {
      const externalId = externalIdOf(name);
      if (externalId !== name) writer.nameDevice(externalId, name);
      writeTimedValues(writer, items, externalId);
    }
    return true;
  },
};
