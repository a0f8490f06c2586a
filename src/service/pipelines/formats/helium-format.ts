import { isObject } from './json-object.ts';
import { writeUplink } from './lorawan-uplink.ts';
import type { MessageFormat } from './message-format.ts';

/**
 * Uplinks of the Helium Console. `dev_eui` is the device. Reads the decoded payload, and `rssi` and `snr` of the best hotspot.
 * Source: https://docs.helium.com/console/integrations/json-schema
 */
export const heliumFormat: MessageFormat = {
  name: 'helium',
  write: (message, writer) => {
    if (!isObject(message) || typeof message['dev_eui'] !== 'string') return false;
    const { dev_eui, name, decoded, payload, reported_at, hotspots } = message;
    if (message['app_eui'] === undefined || !Array.isArray(hotspots)) return false;
    if (typeof name === 'string') writer.nameDevice(dev_eui, name);
    writeUplink(writer, {
      device: dev_eui,
      ts: reported_at,
      decoded: isObject(decoded) ? (decoded['payload'] ?? undefined) : undefined,
      hasPayload: typeof payload === 'string' && payload !== '',
      receptions: hotspots,
      codec: 'a function of the Helium Console',
    });
    return true;
  },
};
