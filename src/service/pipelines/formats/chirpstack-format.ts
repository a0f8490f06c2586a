import { putFields } from './flatten.ts';
import { rejectEvent, writeUplink } from './lorawan-uplink.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

/** Fields that identify each event, in this order. Protocol buffers omit fields that are 0, false or empty. */
const events: readonly (readonly [string, readonly string[]])[] = [
  ['integration', ['integrationName', 'eventType']],
  ['location', ['location']],
  ['txack', ['downlinkId', 'gatewayId']],
  ['ack', ['queueItemId', 'acknowledged']],
  ['log', ['level', 'code', 'description']],
  ['status', ['margin', 'batteryLevel', 'batteryLevelUnavailable', 'externalPowerSource']],
  ['up', ['rxInfo', 'txInfo', 'object', 'data', 'fPort', 'fCnt', 'dr']],
];

const eventOf = (message: JsonObject): string =>
  events.find(([, fields]) => fields.some((field) => message[field] !== undefined))?.[0] ?? 'join';

const statusOf = (message: JsonObject): JsonObject => {
  const { margin, batteryLevel, batteryLevelUnavailable, externalPowerSource } = message;
  return {
    margin,
    ...(batteryLevelUnavailable === true ? {} : { battery: batteryLevel }),
    externalPower: externalPowerSource,
  };
};

/** Writes the samples of an event with the fields of v4. */
export const writeChirpstackEvent = (writer: MessageWriter, message: JsonObject, device: string): void => {
  const { time, object, data, rxInfo, location } = message;
  const event = eventOf(message);
  if (event === 'status' || event === 'location') {
    putFields(writer, event === 'status' ? statusOf(message) : { location });
    return writer.endGroup(device, time);
  }
  if (event !== 'up')
    return rejectEvent(
      writer,
      event,
      'Subscribe to the events up, status and location: application/+/device/+/event/up.',
    );
  writeUplink(writer, {
    device,
    ts: time,
    decoded: object,
    hasPayload: data !== undefined && data !== '',
    receptions: rxInfo,
    codec: 'the device profile in ChirpStack',
  });
};

/**
 * Events of ChirpStack v4 as JSON. devEui is the device and deviceName its name. Reads the decoded `object`, `rssi` and
 * `snr` of an uplink; `margin` (dB), `battery` (%) and `externalPower` of a status; and the coordinates of a location.
 * Source: https://www.chirpstack.io/docs/chirpstack/integrations/events.html
 */
export const chirpstackFormat: MessageFormat = {
  name: 'chirpstack',
  write: (message, writer) => {
    if (!isObject(message) || !isObject(message['deviceInfo'])) return false;
    const { devEui, deviceName } = message['deviceInfo'];
    if (typeof devEui !== 'string') return false;
    if (typeof deviceName === 'string') writer.nameDevice(devEui, deviceName);
    writeChirpstackEvent(writer, message, devEui);
    return true;
  },
};
