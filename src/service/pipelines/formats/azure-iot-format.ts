import { parseJson, TELEMETRY_JSON_LIMITS, UnreadableJson } from '../../platform/http/parse-json.ts';
import { isTimestamp } from './flat-format.ts';
import { putField, putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

/** A message of a device in an envelope of IoT Hub. */
type Envelope = { readonly device: string; readonly enqueuedAt: unknown; readonly body: unknown };

const DEVICE_EVENT = 'Microsoft.Devices.';
const TELEMETRY_EVENT = 'Microsoft.Devices.DeviceTelemetry';

/** An event of Event Grid; null: one without samples; undefined: not an event of IoT Hub. */
const gridEvent = ({ eventType, type = eventType, data }: JsonObject): Envelope | null | undefined => {
  if (typeof type !== 'string' || !type.startsWith(DEVICE_EVENT) || !isObject(data)) return undefined;
  if (type !== TELEMETRY_EVENT) return null;
  const system = isObject(data['systemProperties']) ? data['systemProperties'] : {};
  const device = system['iothub-connection-device-id'];
  if (typeof device !== 'string') return undefined;
  return { device, enqueuedAt: system['iothub-enqueuedtime'], body: data['body'] };
};

/** A message as IoT Hub routes it to a storage container. */
const routedMessage = ({ EnqueuedTimeUtc, SystemProperties, Body }: JsonObject): Envelope | undefined => {
  if (!isObject(SystemProperties) || EnqueuedTimeUtc === undefined) return undefined;
  const device = SystemProperties['connectionDeviceId'];
  if (typeof device !== 'string') return undefined;
  return { device, enqueuedAt: SystemProperties['enqueuedTime'] ?? EnqueuedTimeUtc, body: Body };
};

/** The objects of a body, which is Base64 if its sender did not say that it is JSON. Undefined: it is something else. */
const objectsIn = (body: unknown): JsonObject[] | undefined => {
  if (isObject(body)) return [body];
  if (Array.isArray(body)) return body.length > 0 && body.every(isObject) ? body : undefined;
  if (typeof body !== 'string') return undefined;
  try {
    const decoded = parseJson(Buffer.from(body, 'base64').toString(), TELEMETRY_JSON_LIMITS);
    return typeof decoded === 'string' ? undefined : objectsIn(decoded);
  } catch (error) {
    if (error instanceof UnreadableJson) return undefined;
    throw error;
  }
};

const writeEnvelope = (writer: MessageWriter, { device, enqueuedAt, body }: Envelope): void => {
  const objects = objectsIn(body);
  if (objects === undefined)
    return writer.reject({
      reason: 'payload-not-decoded',
      detail: `The message body of ${device} is not a JSON object. Send JSON with the content type application/json and the encoding utf-8.`,
      samples: 1,
    });
  for (const { ts, timestamp, ...values } of objects) {
    const isTime = ts === undefined && isTimestamp(timestamp);
    putFields(writer, values);
    if (!isTime) putField(writer, 'timestamp', timestamp);
    writer.endGroup(writer.deviceNamed(device), ts ?? (isTime ? timestamp : enqueuedAt));
  }
};

/**
 * Messages of Azure IoT Hub: telemetry events of Event Grid, and messages routed to a container. The fields of the body
 * are metrics; `ts` or `timestamp` in it is the timestamp, otherwise the time when IoT Hub received the message. Other events
 * of devices are skipped.
 * Sources: https://learn.microsoft.com/en-us/azure/event-grid/event-schema-iot-hub and
 * https://learn.microsoft.com/en-us/azure/iot-hub/iot-hub-devguide-messages-d2c
 */
export const azureIotFormat: MessageFormat = {
  name: 'azure-iot',
  write: (message, writer) => {
    const items: unknown[] = Array.isArray(message) ? message : [message];
    if (items.length === 0 || !items.every(isObject)) return false;
    const envelopes = items.map((item) => routedMessage(item) ?? gridEvent(item));
    if (envelopes.some((envelope) => envelope === undefined)) return false;
    writer.isSkipped = envelopes.every((envelope) => envelope === null);
    for (const envelope of envelopes) if (envelope) writeEnvelope(writer, envelope);
    return true;
  },
};
