import { hasOnly, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

export type Group = { device?: unknown; ts?: unknown; values: JsonObject };

export const isGroup = (value: unknown): value is Group =>
  isObject(value) && isObject(value['values']) && hasOnly(value, ['device', 'ts', 'values']);

/** The groups of a message in the Penstock format; undefined: it has another format. */
export const groupsIn = (message: unknown): unknown[] | undefined => {
  if (isGroup(message)) return [message];
  if (Array.isArray(message)) return message.length > 0 && message.every(isGroup) ? message : undefined;
  // Each group is validated separately, so that an invalid one does not reject the others.
  if (!isObject(message) || !hasOnly(message, ['samples'])) return undefined;
  return Array.isArray(message['samples']) ? message['samples'] : undefined;
};

/** Adds a group, or rejects what is in its place. */
export const writeGroup = (writer: MessageWriter, group: unknown): void => {
  if (!isGroup(group)) return writer.rejectGroup(group);
  writer.addGroup(group.device, group.ts, group.values);
};

/** The Penstock format, strict: `{ samples: [...] }`, one group `{ device?, ts?, values }`, or a list of groups. */
export const penstockFormat: MessageFormat = {
  name: 'penstock',
  write: (message, writer) => {
    const groups = groupsIn(message);
    if (groups === undefined) return false;
    writer.addAll(groups, (group) => writeGroup(writer, group));
    return true;
  },
};
