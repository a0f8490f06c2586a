import type { MessageWriter } from './message-writer.ts';

/** The value of a topic: text, a number or a boolean. */
export const isTopicValue = (content: unknown): content is string | number | boolean =>
  (typeof content === 'string' && content !== '') ||
  typeof content === 'number' ||
  typeof content === 'boolean';

/** Whether a value says that a device is offline, as last wills do. */
export const isOffline = (value: unknown): boolean =>
  typeof value === 'string' && value.toLowerCase() === 'offline';

/**
 * The part of a topic after a prefix, which other levels may precede; undefined: the topic has no such prefix.
 * `prefix`: levels that end with `/`.
 */
export const topicAfter = (topic: string | null, prefix: string): string | undefined => {
  if (topic === null) return undefined;
  const at = topic.indexOf(prefix);
  return at === 0 || (at > 0 && topic[at - 1] === '/') ? topic.slice(at + prefix.length) : undefined;
};

/**
 * The device that a topic names, unless the first `+` of the filter or the pipeline gives another one. If `+` matches
 * only the first level of a name with slashes, it is ignored: devices of a group would become one.
 */
export const topicDevice = (writer: MessageWriter, name: string): string => {
  const { device } = writer;
  return writer.deviceNamed(device === undefined || name.startsWith(`${device}/`) ? name : device);
};
