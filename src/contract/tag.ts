import { line } from './text-fields.ts';

const TAG = /^([A-Za-z0-9._-]{1,64})(?::(.{0,256}))?$/s;

/** `key` for any value of a tag, or `key:value`. */
export const tagSchema = line(64 + 1 + 256, 1)
  .regex(TAG, 'Must be key or key:value. Keys use letters, digits, . _ and - (at most 64 characters).')
  .meta({ examples: ['site:north'] });

/** The parts of `key` or `key:value`. Without a value, any value matches. */
export const parseTag = (text: string): { key: string; value: string | undefined } => {
  const [, key = text, value] = TAG.exec(text) ?? [];
  return { key, value };
};

/** Whether one of the tags is `key`, or `key:value`. */
export const hasTag = (tags: Readonly<Record<string, string>>, text: string): boolean => {
  const { key, value } = parseTag(text);
  return Object.hasOwn(tags, key) && (value === undefined || tags[key] === value);
};
