import { readSampleTime } from '../../telemetry/write/sample-time.ts';
import { flatten } from './flatten.ts';
import { isObject, type FormatReading, type JsonObject, type MessageFormat } from './message-format.ts';

/** March 1973 in seconds. A smaller `timestamp` is more likely a counter. */
const LEAST_SECONDS = 100_000_000;

const isTimestamp = (value: unknown): boolean =>
  !(Number(value) < LEAST_SECONDS) && readSampleTime(value) !== undefined;

const readObject = (object: JsonObject): FormatReading => {
  const { device, ts, timestamp, ...rest } = object;
  const sentAt = ts ?? (isTimestamp(timestamp) ? timestamp : undefined);
  const { values, rejections } = flatten({
    ...rest,
    ...(device === undefined || typeof device === 'string' ? {} : { device }),
    ...(timestamp === undefined || (ts === undefined && sentAt !== undefined) ? {} : { timestamp }),
  });
  return {
    samples: [
      {
        ...(typeof device === 'string' ? { device } : {}),
        ...(sentAt === undefined ? {} : { ts: sentAt }),
        values,
      },
    ],
    rejections,
  };
};

/**
 * `{ temp: 21, … }` or a list of such objects. Each field is a metric; names of nested fields are joined by dots.
 * `device` is the device if it is text, and `ts`, or a plausible `timestamp`, is the timestamp.
 */
export const flatFormat: MessageFormat = {
  name: 'flat',
  read: (message) => {
    if (isObject(message)) return readObject(message);
    if (!Array.isArray(message) || message.length === 0) return undefined;
    // A list that mixes samples and flat objects has no single format.
    if (!message.every((item): item is JsonObject => isObject(item) && !isObject(item['values'])))
      return undefined;
    const readings = message.map(readObject);
    return {
      samples: readings.flatMap(({ samples }) => samples),
      rejections: readings.flatMap(({ rejections }) => rejections ?? []),
    };
  },
};
