import { isObject } from './json-object.ts';
import { rejectEvent, writeUplink } from './lorawan-uplink.ts';
import type { MessageFormat } from './message-format.ts';

/** ThingPark sends the figures of the radio as text: `"-80.000000"`. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

/**
 * Uplinks of ThingPark by Actility. DevEUI is the device. Reads the payload that a driver decoded, and `rssi` and `snr`
 * of the best base station.
 * Source: https://docs.thingpark.com/thingpark-x/latest/Message/
 */
export const thingparkFormat: MessageFormat = {
  name: 'thingpark',
  write: (message, writer) => {
    if (!isObject(message)) return false;
    const [event = ''] = Object.keys(message).filter((field) => field.startsWith('DevEUI_'));
    const content = message[event];
    if (!isObject(content) || typeof content['DevEUI'] !== 'string') return false;
    const { DevEUI, Time, payload, payload_hex, LrrRSSI, LrrSNR } = content;
    if (event !== 'DevEUI_uplink') {
      rejectEvent(writer, event, 'Send uplinks only.');
      return true;
    }
    writeUplink(writer, {
      device: DevEUI,
      ts: Time,
      decoded: payload ?? undefined,
      hasPayload: typeof payload_hex === 'string' && payload_hex !== '',
      receptions: [{ rssi: numberOf(LrrRSSI), snr: numberOf(LrrSNR) }],
      codec: 'the device profile in ThingPark',
    });
    return true;
  },
};
