import { putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageRejection } from './message.ts';
import type { MessageWriter } from './message-writer.ts';

/** The reception with the best signal. Several gateways often receive the same frame. */
const bestOf = (receptions: unknown): JsonObject | undefined =>
  (Array.isArray(receptions) ? receptions : [])
    .filter(isObject)
    .filter(({ rssi }) => typeof rssi === 'number')
    .toSorted((a, b) => Number(b['rssi']) - Number(a['rssi']))[0];

type Uplink = {
  readonly device: string;
  readonly ts: unknown;
  readonly decoded: unknown;
  readonly hasPayload: boolean;
  readonly receptions: unknown;
  /** Where to set a codec, in words. */
  readonly codec: string;
};

const rejectionOf = ({ decoded, hasPayload, codec }: Uplink): MessageRejection | undefined => {
  if (decoded === undefined && hasPayload)
    return {
      reason: 'payload-not-decoded',
      detail: `The payload is not decoded. Set a codec in ${codec}.`,
      samples: 1,
    };
  if (decoded === undefined || isObject(decoded)) return undefined;
  return { reason: 'invalid-value', detail: 'The decoded payload must be an object.', samples: 1 };
};

/**
 * Writes the samples of a LoRaWAN uplink: the decoded payload, with nested names joined by dots, and `rssi` (dBm) and
 * `snr` (dB) of the best reception, unless the payload has fields with these names. An undecoded payload is rejected as
 * one sample.
 */
export const writeUplink = (writer: MessageWriter, uplink: Uplink): void => {
  const { device, ts, decoded, receptions } = uplink;
  if (isObject(decoded)) putFields(writer, decoded);
  const { rssi, snr } = bestOf(receptions) ?? {};
  for (const [name, value] of Object.entries({ rssi, snr })) if (value !== undefined) writer.put(name, value);
  const rejection = rejectionOf(uplink);
  if (rejection !== undefined) writer.reject(rejection);
  if (rejection === undefined || writer.hasSamples) writer.endGroup(device, ts);
};

/** Rejects an event without samples as one sample. `event`: undefined if the message names none. */
export const rejectEvent = (writer: MessageWriter, event: string | undefined, hint: string): void => {
  const subject = event === undefined ? 'The message has' : `Events of the type ${event} have`;
  writer.reject({ reason: 'no-values', detail: `${subject} no values. ${hint}`, samples: 1 });
};
