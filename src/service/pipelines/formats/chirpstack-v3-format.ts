import { parseJson, TELEMETRY_JSON_LIMITS, UnreadableJson } from '../../platform/http/parse-json.ts';
import { writeChirpstackEvent } from './chirpstack-format.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';

/** Eight bytes in Base64, as the Protocol Buffers JSON of version 3 writes them. */
const BASE64_EUI = /^[A-Za-z0-9+/]{11}=$/;

const euiOf = (devEui: string): string =>
  BASE64_EUI.test(devEui) ? Buffer.from(devEui, 'base64').toString('hex') : devEui;

/** The decoded payload: an object, or JSON as text. */
const decodedIn = ({ object, objectJSON }: JsonObject): unknown => {
  if (typeof objectJSON !== 'string' || objectJSON === '') return object;
  try {
    return parseJson(objectJSON, TELEMETRY_JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    return objectJSON;
  }
};

/**
 * Events of ChirpStack v3. They have the fields of v4 under other names. The gateway's time is used only if the server
 * states none.
 * Source: https://www.chirpstack.io/application-server/integrations/events/
 */
export const chirpstackV3Format: MessageFormat = {
  name: 'chirpstack-v3',
  write: (message, writer) => {
    if (!isObject(message) || typeof message['devEUI'] !== 'string') return false;
    const { applicationID, devEUI, deviceName, publishedAt, rxInfo } = message;
    if (applicationID === undefined || typeof deviceName !== 'string') return false;
    const device = euiOf(devEUI);
    const receptions = Array.isArray(rxInfo) ? rxInfo.filter(isObject) : undefined;
    writer.nameDevice(device, deviceName);
    writeChirpstackEvent(
      writer,
      {
        ...message,
        time: publishedAt ?? receptions?.find(({ time }) => typeof time === 'string')?.['time'],
        object: decodedIn(message),
        rxInfo: receptions?.map(({ loRaSNR, ...reception }) => ({ ...reception, snr: loRaSNR })),
      },
      device,
    );
    return true;
  },
};
