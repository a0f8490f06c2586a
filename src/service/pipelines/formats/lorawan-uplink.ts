import { flatten } from './flatten.ts';
import { isObject, type FormatReading, type JsonObject, type FormatRejection } from './message-format.ts';

/** The gateway that heard it best; a frame is often heard by several. */
const bestOf = (receptions: unknown): JsonObject | undefined =>
  (Array.isArray(receptions) ? receptions : [])
    .filter(isObject)
    .filter(({ rssi }) => typeof rssi === 'number')
    .toSorted((a, b) => Number(b['rssi']) - Number(a['rssi']))[0];

/**
 * The values of an uplink of LoRaWAN: the decoded payload with dots between nested names, and `rssi` (dBm) and `snr`
 * (dB) where the gateway heard it best. What the payload itself calls so stays. A payload that nobody decoded is one
 * value refused.
 */
export const readUplink = (uplink: {
  device: string;
  ts: unknown;
  decoded: unknown;
  hasPayload: boolean;
  receptions: unknown;
  /** Where a codec is set, for people. */
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

/** An event of a network server that holds no values: recognised, and refused as one value. */
export const rejectEvent = (event: string, hint: string): FormatReading => ({
  samples: [],
  rejections: [
    { reason: 'no-values', detail: `This is a ${event} event, which has no values. ${hint}`, values: 1 },
  ],
});
