import { flatten } from './flatten.ts';
import { readUplink, rejectEvent } from './lorawan-uplink.ts';
import { isObject, type FormatReading, type JsonObject, type MessageFormat } from './message-format.ts';

/** Fields of the envelope, besides the event. */
const ENVELOPE = ['end_device_ids', 'correlation_ids', 'received_at', 'simulated', 'attributes'];

const readEvent = (message: JsonObject, device: string): FormatReading => {
  const { uplink_message, uplink_normalized, location_solved, received_at } = message;
  const uplink = uplink_message ?? uplink_normalized;
  if (isObject(uplink)) {
    const { decoded_payload, normalized_payload, frm_payload, rx_metadata } = uplink;
    return readUplink({
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
    const { values, rejections } = flatten({
      location: Object.fromEntries(
        Object.entries({ latitude, longitude, altitude, accuracy }).filter(
          ([, value]) => value !== undefined,
        ),
      ),
    });
    return {
      samples: [{ device, ...(received_at === undefined ? {} : { ts: received_at }), values }],
      rejections,
    };
  }
  const event = Object.keys(message).find((field) => !ENVELOPE.includes(field));
  return rejectEvent(event, 'Subscribe to uplinks only: v3/+/devices/+/up.');
};

/**
 * Messages of The Things Stack v3 (The Things Network). device_id is the device. Reads the decoded payload, `rssi` and
 * `snr` of uplinks. Source: https://www.thethingsindustries.com/docs/integrations/data-formats/
 */
export const thingsStackFormat: MessageFormat = {
  name: 'things-stack',
  read: (message) => {
    if (!isObject(message) || !isObject(message['end_device_ids'])) return undefined;
    const { device_id } = message['end_device_ids'];
    return typeof device_id === 'string' ? readEvent(message, device_id) : undefined;
  },
};
