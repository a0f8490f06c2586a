import { writeUplink } from './lorawan-uplink.ts';
import { isObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';

/**
 * Uplinks of The Things Network v2, and of servers that forward in its format. dev_id is the device. Reads the payload
 * fields, `rssi` and `snr`.
 * Source: https://www.thethingsnetwork.org/docs/applications/mqtt/api/
 */
export const thingsStackV2Format: MessageFormat = {
  name: 'things-stack-v2',
  write: (message, writer) => {
    if (!isObject(message) || typeof message['dev_id'] !== 'string') return false;
    const { app_id, dev_id, metadata, payload_fields, payload_raw } = message;
    if (typeof app_id !== 'string' || !isObject(metadata)) return false;
    writeUplink(writer, {
      device: dev_id,
      ts: metadata['time'],
      decoded: payload_fields ?? undefined,
      hasPayload: payload_raw !== undefined && payload_raw !== null && payload_raw !== '',
      receptions: metadata['gateways'],
      codec: 'the payload formats of the application',
    });
    return true;
  },
};
