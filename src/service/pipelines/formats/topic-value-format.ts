import { shortenMetric } from '../../telemetry/write/metric-name.ts';
import type { MessageFormat } from './message-format.ts';

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

/**
 * A single value, such as `21.5` or `ON`: the rest of the topic is the metric. Only if the device is known too.
 */
export const topicValueFormat: MessageFormat = {
  name: 'topic-value',
  write: (content, writer, { topic, topicFilter }) => {
    if (topic === null || topicFilter === undefined || writer.device === undefined) return false;
    const value = valueOf(content);
    if (value === undefined) return false;
    const metric = metricIn(topic, topicFilter);
    if (metric === '') return false;
    if (value === null) writer.noValues += 1;
    else {
      writer.put(shortenMetric(metric), value);
      writer.endGroup(undefined, undefined);
    }
    return true;
  },
};
