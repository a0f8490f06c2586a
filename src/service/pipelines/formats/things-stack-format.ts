import { putField } from './flatten.ts';
import { rejectEvent, writeUplink } from './lorawan-uplink.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

/** Fields of the envelope, besides the event. */
const ENVELOPE = ['end_device_ids', 'correlation_ids', 'received_at', 'simulated', 'attributes'];

const writeEvent = (writer: MessageWriter, message: JsonObject, device: string): void => {
  const { uplink_message, uplink_normalized, location_solved, received_at } = message;
  const uplink = uplink_message ?? uplink_normalized;
  if (isObject(uplink)) {
    const { decoded_payload, normalized_payload, frm_payload, rx_metadata } = uplink;
    return writeUplink(writer, {
      device,
      // When the network received the frame. The time of the envelope is later.
      ts: uplink['received_at'] ?? received_at,
      decoded: decoded_payload ?? (uplink_message === undefined ? normalized_payload : undefined),
      hasPayload: frm_payload !== undefined && frm_payload !== '',
      receptions: rx_metadata,
      codec: 'the payload formatter in The Things Stack',
    });
  }
  if (isObject(location_solved) && isObject(location_solved['location'])) {
    const { latitude, longitude, altitude, accuracy } = location_solved['location'];
    putField(writer, 'location', { latitude, longitude, altitude, accuracy });
    return writer.endGroup(device, received_at);
  }
  const event = Object.keys(message).find((field) => !ENVELOPE.includes(field));
  rejectEvent(writer, event, 'Subscribe to uplinks only: v3/+/devices/+/up.');
};

/**
 * Messages of The Things Stack v3 (The Things Network). device_id is the device. Reads the decoded payload, `rssi` and
 * `snr` of uplinks. Source: https://www.thethingsindustries.com/docs/integrations/data-formats/
 */
export const thingsStackFormat: MessageFormat = {
  name: 'things-stack',
  write: (message, writer) => {
    if (!isObject(message) || !isObject(message['end_device_ids'])) return false;
    const { device_id } = message['end_device_ids'];
    if (typeof device_id !== 'string') return false;
    writeEvent(writer, message, device_id);
    return true;
  },
};
