import { externalIdOf } from './external-id-of.ts';
import { isObject, type MessageFormat } from './message-format.ts';
import { isTimedValues, readTimedValues } from './thingsboard-format.ts';

/**
 * `{ "Device A": [{ ts?, values }] }`: several devices by name. If a name is not a valid external ID, its slug is the
 * external ID, and the name becomes the display name.
 * Source: https://thingsboard.io/docs/reference/gateway-api/telemetry/
 */
export const thingsboardGatewayFormat: MessageFormat = {
  name: 'thingsboard-gateway',
  read: (message) => {
    if (!isObject(message)) return undefined;
    const devices = Object.entries(message);
    if (devices.length === 0) return undefined;
    const readings = [];
    const deviceNames = new Map<string, string>();
    for (const [name, items] of devices) {
      if (!Array.isArray(items) || items.length === 0 || !items.every(isTimedValues)) return undefined;
      const externalId = externalIdOf(name);
      if (externalId !== name) deviceNames.set(externalId, name);
      readings.push(readTimedValues(items, externalId));
    }
    return {
      samples: readings.flatMap(({ samples }) => samples),
      rejections: readings.flatMap(({ rejections }) => rejections ?? []),
      deviceNames,
    };
  },
};
