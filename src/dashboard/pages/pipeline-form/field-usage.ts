import type { MessageField } from './message-fields.ts';

/** Whether an expression names a field, may read it without its name, or does not use it. */
export type FieldUsage = 'named' | 'possible' | 'none';

/** A text or a quoted name, with the colon after the name of a result. */
const QUOTED = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)(\s*:)?/gs;
/** Quotes in a regular expression or a comment: where a text begins is unknown. */
const UNPAIRED_QUOTE = /\/[^/]*["'`][^/]*\//;

/** The expression without the names of results, such as `"fahrenheit":`. After a dot, a text is a step of a path. */
const withoutResultNames = (expression: string): string =>
  UNPAIRED_QUOTE.test(expression)
    ? expression
    : expression.replaceAll(QUOTED, (quoted: string, colon: string | undefined, at: number) =>
        colon === undefined || expression.slice(0, at).trimEnd().endsWith('.') ? quoted : '',
      );

/**
 * What reads fields without their names: the message (`$`, `$$`) other than as the start of a path, the wildcards `*` and
 * `**`, the parent `%`, functions of their context or of a name as text, and names with escaped characters.
 */
const READS_ANY = new RegExp(
  [
    '\\$(?![\\w$])(?!\\s*\\.\\s*[\\p{L}_{`"])',
    '(?:^|[^\\p{L}\\w)\\]}"\'`\\s]|\\b(?:and|or|in)\\b)\\s*[*%]',
    '\\$(?!now|millis|random)\\w+\\s*\\(\\s*\\)',
    '\\$(?:each|sift|lookup|eval|keys|spread)\\b',
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
