import type { Preview } from '#contract/messages.ts';
import { slugOf } from '#contract/slug-of.ts';
import { parseTime } from '#contract/time-range.ts';
import { looksLikeTime, allSamplesOf, type MessageField } from './message-fields.ts';
import { readRule, type FieldRole, type FieldRoles } from './role-expression.ts';

/** Whether a value is one of these times, in epoch ms. */
const isOneOf = (times: ReadonlySet<number>, value: MessageField['value']): boolean => {
  const ms = typeof value === 'boolean' ? undefined : parseTime(value);
  return ms !== undefined && times.has(ms);
};

/**
 * The role of each field in the preview of its message. Fields without a role are missing. `expression`: of the mapping;
 * null: the automatic detection.
 */
export const rolesIn = (
  fields: readonly MessageField[],
  preview: Preview,
  expression: string | null,
): FieldRoles => {
  const chosen =
    (expression === null ? undefined : readRule(expression)?.roles) ?? new Map<string, FieldRole>();
  const chosenRoles = new Set(chosen.values());
  const groups = allSamplesOf(preview);
  const metrics = new Set(groups.flatMap(({ values }) => Object.keys(values)));
  const leftOut = new Set(preview.leftOut);
  const device = groups[0]?.device;
  const times = new Set(groups.flatMap(({ ts }) => (ts === undefined ? [] : [new Date(ts).getTime()])));
  const isDevice = ({ value }: MessageField): boolean =>
    device !== undefined &&
    !chosenRoles.has('device') &&
    (String(value) === device || slugOf(String(value), 128) === device);
  const isTime = (field: MessageField): boolean =>
    times.size > 0 && !chosenRoles.has('time') && (looksLikeTime(field) || isOneOf(times, field.value));
  const roles = new Map<string, FieldRole>();
  for (const field of fields) {
    const { name, isInList } = field;
    const role = isInList ? undefined : chosen.get(name);
    if (role !== undefined) roles.set(name, role);
    else if (metrics.has(name)) roles.set(name, 'metric');
    else if (leftOut.has(name)) roles.set(name, 'ignored');
    else if (!isInList && isDevice(field)) roles.set(name, 'device');
    else if (!isInList && isTime(field)) roles.set(name, 'time');
  }
  return roles;
};

/** Whether an expression names a field, may read it without its name, or does not use it. */
export type FieldUsage = 'named' | 'possible' | 'none';

/** A text or a quoted name, with the colon after the name of a result. */
const QUOTED = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)(\s*:)?/gs;
/** Quotes in a regular expression or a comment: where a text begins is unknown. */
const UNPAIRED_QUOTE = /\/[^/]*["'`][^/]*\//;

/** The expression without the names of results, such as `"fahrenheit":`. After a dot, a text is a step of a path, and backticks always name a field. */
const withoutResultNames = (expression: string): string =>
  UNPAIRED_QUOTE.test(expression)
    ? expression
    : expression.replaceAll(QUOTED, (quoted: string, colon: string | undefined, at: number) =>
        colon === undefined || quoted.startsWith('`') || expression.slice(0, at).trimEnd().endsWith('.')
          ? quoted
          : '',
      );

/**
 * What reads fields without their names: the message (`$`, `$$`) other than as the start of a path, the wildcards `*` and
 * `**`, the parent `%`, functions of their context (also by a signature) or of a name as text, and names with escaped characters.
 */
const READS_ANY = new RegExp(
  [
    '\\$(?![\\w$])(?!\\s*\\.\\s*[\\p{L}_{`"])',
    '(?:^|[^\\p{L}\\w)\\]}"\'`\\s]|\\b(?:and|or|in)\\b)\\s*[*%]',
    '\\$(?!now|millis|random)\\w+\\s*\\(\\s*\\)',
    '\\$(?:each|sift|lookup|eval|keys|spread)\\b',
    '\\)\\s*<',
    '\\\\',
  ].join('|'),
  'u',
);

const WORD = /^[\p{L}\w]+$/u;
const WORDS = /\$*[\p{L}\w]+/gu;

/** How an expression uses a field, from its text. A field without use is certain. */
export const usageOf = (expression: string, { path }: Pick<MessageField, 'path'>): FieldUsage => {
  const text = withoutResultNames(expression);
  const words = new Set(text.match(WORDS));
  if (path.some((name) => (WORD.test(name) ? words.has(name) : text.includes(name)))) return 'named';
  return READS_ANY.test(text) ? 'possible' : 'none';
};
