import { isDisplayUnit } from '../../telemetry/write/display-unit.ts';
import { isTimestamp } from './flat-format.ts';
import { isValueList, putField, putFields } from './flatten.ts';
import { isObject } from './json-object.ts';
import type { MessageContext, MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isOffline } from './topic-device.ts';

/** What tools publish while they have no value, in lower case. An empty message clears a retained one. */
const NO_VALUES = new Set(['', 'nan', 'none', 'null', 'unavailable', 'unknown']);
/** Words that are values. Other text may be in a format that an expression has to map. */
const STATES = new Set(['on', 'off', 'online', 'offline', 'open', 'closed', 'yes', 'no']);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)$/;
const NUMBER_LENGTH = 32;

export const isNoValue = (text: string): boolean => NO_VALUES.has(text.toLowerCase());

/** The value of a message; null: it has none; undefined: it is not a single value. */
const valueOf = (content: unknown): number | boolean | string | null | undefined => {
  if (typeof content === 'number' || typeof content === 'boolean' || content === null) return content;
  if (typeof content !== 'string' || content.length > NUMBER_LENGTH) return undefined;
  const word = content.toLowerCase();
  if (isNoValue(word)) return null;
  if (STATES.has(word)) return content;
  if (word === 'true' || word === 'false') return word === 'true';
  return NUMBER.test(content) ? Number(content) : undefined;
};

/** The levels of the topic after the first `+` of the filter, or those that its `#` matches. */
const metricIn = (topic: string, filter: string): string => {
  const levels = filter.split('/');
  const plus = levels.indexOf('+');
  const first = plus === -1 ? levels.indexOf('#') : plus + 1;
  return first === -1 ? '' : topic.split('/').slice(first).join('.');
};

/** The metric that the topic names, if the device is known. */
const metricOf = (writer: MessageWriter, { topic, topicFilter }: MessageContext): string =>
  topic === null || topicFilter === undefined || writer.device === undefined
    ? ''
    : metricIn(topic, topicFilter);

/** Metrics whose value is false or 0 in a last will. */
const PRESENCE = /(^|[./])(online|connected)$/;

/** The other fields of an object that holds the value of its topic. */
const BESIDE_VALUE = new Set(['min', 'max', 'unit', 'ts', 'timestamp', 'time']);

/**
 * An object that only holds the value of its topic: `{ "value": 21.5 }`. Without the topic, the metrics of all topics
 * would have the same name.
 * Source: https://github.com/victronenergy/dbus-flashmq
 */
export const topicObjectFormat: MessageFormat = {
  name: 'topic-value',
  write: (content, writer, context) => {
    if (!isObject(content) || !Object.hasOwn(content, 'value')) return false;
    const { value, unit, ts, timestamp, time, ...limits } = content;
    if (!Object.keys(content).every((key) => key === 'value' || BESIDE_VALUE.has(key))) return false;
    const sentAt = ts ?? timestamp ?? time;
    const metric = metricOf(writer, context);
    if (metric === '' || isObject(value) || (sentAt !== undefined && !isTimestamp(sentAt))) return false;
    if (value === null) writer.noValues += 1;
    putField(writer, metric, value);
    putFields(writer, limits, `${metric}.`);
    if (isDisplayUnit(unit)) writer.addUnit(metric, unit);
    if (writer.hasSamples) writer.endGroup(undefined, sentAt);
    return true;
  },
};

/**
 * A single value, such as `21.5` or `ON`, or a list of values, if the device is known. The rest of the topic is the
 * metric. A list of words is left out.
 */
export const topicValueFormat: MessageFormat = {
  name: 'topic-value',
  write: (content, writer, context) => {
    const list = isValueList(content) ? content : undefined;
    const value = list === undefined ? valueOf(content) : list.some((item) => item !== null) ? list : null;
    const metric = value === undefined ? '' : metricOf(writer, context);
    if (metric === '') return false;
    if (value === null) writer.noValues += 1;
    else {
      writer.saysOffline = isOffline(value) || ((value === false || value === 0) && PRESENCE.test(metric));
      putField(writer, metric, value);
      writer.endGroup(undefined, undefined);
    }
    return true;
  },
};
