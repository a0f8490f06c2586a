import { putField } from './flatten.ts';
import { hasOnly, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

/** Fields that say how flespi received the message. */
const OF_FLESPI = [
  'channel.id',
  'protocol.id',
  'device.id',
  'device.name',
  'device.type.id',
  'peer',
  'server.timestamp',
];

const isFlespi = (item: unknown): item is JsonObject & { ident: string } =>
  isObject(item) &&
  typeof item['ident'] === 'string' &&
  item['ident'] !== '' &&
  typeof item['timestamp'] === 'number' &&
  OF_FLESPI.some((field) => Object.hasOwn(item, field));

const writeFlespi = (writer: MessageWriter, item: JsonObject & { ident: string }): void => {
  const { ident, timestamp, ...values } = item;
  const device = writer.deviceNamed(ident);
  const name = item['device.name'];
  if (typeof name === 'string' && name !== '') writer.nameDevice(device, name);
  for (const [field, value] of Object.entries(values))
    if (!OF_FLESPI.includes(field)) putField(writer, field, value);
  writer.endGroup(device, timestamp);
};

/**
 * Messages of trackers, of Teltonika and others, as the gateway of flespi decodes them. `ident` (the IMEI) is the
 * device.
 * Source: https://flespi.com/kb/messages-basic-information-units
 */
export const flespiFormat: MessageFormat = {
  name: 'flespi',
  write: (message, writer) => {
    const items: unknown[] = Array.isArray(message) ? message : [message];
    if (items.length === 0 || !items.every(isFlespi)) return false;
    writer.addAll(items, (item) => writeFlespi(writer, item));
    return true;
  },
};

const IMEI_TOPIC = /(?:^|\/)(\d{15})(?:\/|$)/;
const AVL_ID = /^\d{1,5}$/;
const POSITION = /^(-?\d{1,2}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?)$/;
/** Fields of a record besides the AVL IDs. */
const NAMES: Readonly<Record<string, string>> = {
  alt: 'altitude',
  ang: 'angle',
  evt: 'event',
  pr: 'priority',
  sat: 'satellites',
  sp: 'speed',
};

const reportedIn = (message: unknown): JsonObject | undefined => {
  if (!isObject(message) || !hasOnly(message, ['state']) || !isObject(message['state'])) return undefined;
  const { reported } = message['state'];
  if (!isObject(reported) || typeof reported['ts'] !== 'number' || !hasOnly(message['state'], ['reported']))
    return undefined;
  const isKnown = (field: string) =>
    field === 'ts' || field === 'latlng' || Object.hasOwn(NAMES, field) || AVL_ID.test(field);
  return Object.keys(reported).every(isKnown) ? reported : undefined;
};

/**
 * Records of Teltonika trackers as JSON (“Codec JSON”): AVL IDs are metrics `io.239`, `latlng` is a latitude and a
 * longitude. The IMEI in the topic is the device.
 * Source: https://wiki.teltonika-gps.com/view/Codec#Codec_JSON
 */
export const teltonikaFormat: MessageFormat = {
  name: 'teltonika',
  write: (message, writer, { topic }) => {
    const reported = reportedIn(message);
    if (reported === undefined) return false;
    const { ts, latlng, ...values } = reported;
    const [, latitude, longitude] = (typeof latlng === 'string' && POSITION.exec(latlng)) || [];
    if (latitude !== undefined) {
      putField(writer, 'latitude', Number(latitude));
      putField(writer, 'longitude', Number(longitude));
    } else putField(writer, 'latlng', latlng);
    for (const [field, value] of Object.entries(values))
      putField(writer, NAMES[field] ?? `io.${field}`, value);
    const imei = topic === null ? undefined : IMEI_TOPIC.exec(topic)?.[1];
    writer.endGroup(imei, ts);
    return true;
  },
};
