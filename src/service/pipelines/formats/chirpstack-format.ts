import { flatten } from './flatten.ts';
import { readUplink, rejectEvent } from './lorawan-uplink.ts';
import { isObject, type FormatReading, type JsonObject, type MessageFormat } from './message-format.ts';

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

const readEvent = (message: JsonObject, device: string): FormatReading => {
  const { time, object, data, rxInfo, location } = message;
  const sampleOf = (values: JsonObject): FormatReading => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    const flat = flatten(given);
    return {
      samples: [{ device, ...(time === undefined ? {} : { ts: time }), values: flat.values }],
      rejections: flat.rejections,
    };
  };
  const event = eventOf(message);
  if (event === 'status') return sampleOf(statusOf(message));
  if (event === 'location') return sampleOf({ location });
  if (event !== 'up')
    return rejectEvent(
      event,
      'Subscribe to the events up, status and location: application/+/device/+/event/up.',
    );
  return readUplink({
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
  read: (message) => {
    if (!isObject(message) || !isObject(message['deviceInfo'])) return undefined;
    const { devEui, deviceName } = message['deviceInfo'];
    if (typeof devEui !== 'string') return undefined;
    const named: [string, string][] = typeof deviceName === 'string' ? [[devEui, deviceName]] : [];
    return { ...readEvent(message, devEui), deviceNames: new Map(named) };
  },
};
