import { capitalize } from '#contract/capitalize.ts';
import { slugOf } from '#contract/slug-of.ts';
import { looksLikeIdentity, messageFields } from './message-fields.ts';

/** Levels after which a device follows. */
const COLLECTIONS = /^(devices?|nodes?|things?|clients?)$/i;
/** A name with a number, as devices of one kind have: `boiler-7`, `press 7`, `a4c138aabbcc`. Not a version such as `v1`. */
const NUMBERED = /^(?!v\d+$)(?=.*\d)[\p{L}\p{N}_.: -]{3,}$/iu;

/** Whether a topic has no wildcard, so that only one device can publish to it. */
export const isLiteralTopic = (topic: string): boolean => topic !== '' && !/[+#]/.test(topic);

/** The levels of a topic that can be the device, by their position. */
export const levelsOf = (topic: string): { level: string; index: number }[] =>
  topic.split('/').flatMap((level, index) => (level === '' ? [] : [{ level, index }]));

const indexIfSole = (found: readonly { index: number }[]): number | null =>
  found.length === 1 ? (found[0]?.index ?? null) : null;

/**
 * The position of the level that is evidently the device: an identity in the message has the same text, a word such as
 * `devices` is before it, or it alone has a number. null: unclear.
 */
export const deviceLevelOf = (topic: string, message: string): number | null => {
  const levels = levelsOf(topic);
  const identities = messageFields(message)
    .filter(looksLikeIdentity)
    .map(({ value }) => slugOf(String(value), 128));
  const named = levels.filter(({ level }) => identities.includes(slugOf(level, 128)));
  const following = levels.filter((_, position) => COLLECTIONS.test(levels[position - 1]?.level ?? ''));
  const numbered = levels.filter(({ level }) => NUMBERED.test(level));
  return indexIfSole(named) ?? indexIfSole(following) ?? indexIfSole(numbered);
};

/** The topic filter of all devices: `+` at the position of the device. null: the topic alone. */
export const filterOfDevices = (topic: string, device: number | null): string =>
  topic
    .split('/')
    .map((level, index) => (index === device ? '+' : level))
    .join('/');

/** A name for the pipeline of a topic filter: the levels that all of its topics have. */
export const nameOfTopic = (topicFilter: string): string => {
  const words = topicFilter.split('/').filter((level) => !['', '+', '#'].includes(level));
  return capitalize(words.join(' ').slice(0, 100).trim());
};
