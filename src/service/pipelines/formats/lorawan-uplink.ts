import { flatten } from './flatten.ts';
import { isObject, type FormatReading, type JsonObject, type FormatRejection } from './message-format.ts';

/** The reception with the best signal. Several gateways often receive the same frame. */
const bestOf = (receptions: unknown): JsonObject | undefined =>
  (Array.isArray(receptions) ? receptions : [])
    .filter(isObject)
    .filter(({ rssi }) => typeof rssi === 'number')
    .toSorted((a, b) => Number(b['rssi']) - Number(a['rssi']))[0];

/**
 * The values of a LoRaWAN uplink: the decoded payload, with nested names joined by dots, and `rssi` (dBm) and `snr`
 * (dB) of the best reception, unless the payload has values with these names. An undecoded payload is rejected as one
 * value.
 */
export const readUplink = (uplink: {
  device: string;
  ts: unknown;
  decoded: unknown;
  hasPayload: boolean;
  receptions: unknown;
  /** Where to set a codec, in words. */
  codec: string;
}): FormatReading => {
  const { device, ts, decoded, hasPayload, receptions, codec } = uplink;
  const { values, rejections } = isObject(decoded)
    ? flatten(decoded)
    : { values: {}, rejections: [] as FormatRejection[] };
  if (decoded === undefined && hasPayload)
    rejections.push({
      reason: 'payload-not-decoded',
      detail: `The payload is not decoded. Set a codec in ${codec}.`,
      values: 1,
    });
  if (decoded !== undefined && !isObject(decoded))
    rejections.push({ reason: 'invalid-value', detail: 'The decoded payload must be an object.', values: 1 });
  const { rssi, snr } = bestOf(receptions) ?? {};
  const radio = Object.entries({ rssi, snr }).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(values, name),
  );
  const all = { ...values, ...Object.fromEntries(radio) };
  const isEmpty = Object.keys(all).length === 0 && rejections.length > 0;
  return {
    samples: isEmpty ? [] : [{ device, ...(ts === undefined ? {} : { ts }), values: all }],
    rejections,
  };
};

/** Rejects an event without values as one value. `event`: undefined if the message names none. */
export const rejectEvent = (event: string | undefined, hint: string): FormatReading => {
  const subject = event === undefined ? 'The message has' : `Events of the type ${event} have`;
  return {
    samples: [],
    rejections: [{ reason: 'no-values', detail: `${subject} no values. ${hint}`, values: 1 }],
  };
};
