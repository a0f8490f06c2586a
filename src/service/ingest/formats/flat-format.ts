import { parseTime } from '#contract/time-range.ts';
import { flatten } from './flatten.ts';
import { isObject, type FormatReading, type JsonObject, type MessageFormat } from './message-format.ts';

/** Epoch ms of March 1973; a smaller number that stands for a time counts seconds. */
const LEAST_MS = 100_000_000_000;
/** The same moment in seconds: a smaller `timestamp` is a counter rather than a time. */
const LEAST_SECONDS = 100_000_000;

/** Epoch ms, or undefined where it is no time. */
const readTime = (value: unknown): number | undefined => {
  if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) return parseTime(value);
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return parseTime(Math.round(Math.abs(number) < LEAST_MS ? number * 1_000 : number));
};

const readTimestamp = (value: unknown): number | undefined =>
  Number(value) < LEAST_SECONDS ? undefined : readTime(value);

const readObject = (object: JsonObject): FormatReading => {
  const { device, ts, timestamp, ...rest } = object;
  const sentAt = ts === undefined ? readTimestamp(timestamp) : (readTime(ts) ?? ts);
  const { values, refused } = flatten({
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
    refused,
  };
};

/**
 * `{ temp: 21, … }` or a list of such: each field is a metric, nested ones with dots between. Set apart are `device`,
 * where it is text, and the time: `ts`, or `timestamp` where it reads as one, in epoch ms, epoch s or RFC 3339.
 */
export const flatFormat: MessageFormat = {
  name: 'flat',
  read: (message) => {
    if (isObject(message)) return readObject(message);
    if (!Array.isArray(message) || message.length === 0) return undefined;
    // A list in which some are { values } and some are not is of no one shape.
    if (!message.every((item): item is JsonObject => isObject(item) && !isObject(item['values'])))
      return undefined;
    const readings = message.map(readObject);
    return {
      samples: readings.flatMap(({ samples }) => samples),
      refused: readings.flatMap(({ refused }) => refused ?? []),
    };
  },
};
