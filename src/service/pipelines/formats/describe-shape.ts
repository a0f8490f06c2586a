import Papa from 'papaparse';
import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';
import { isJsonObject } from './json-object.ts';
import { suggestExpression } from './suggest-expression.ts';

/** A description of a message in an unknown format, and how an expression recognises and maps messages of its shape. */
type Shape = {
  readonly words: string;
  readonly condition: string;
  readonly mapping: string;
  /** What the mapping leaves out. */
  readonly leavesOut?: string | undefined;
};

const READ_CHARACTERS = 4_096;
const JSON_LINES_CHARACTERS = 65_536;
const PAIR = /^[A-Za-z_][\w.-]*=("[^"]*"|[^\s"=]*)$/;
const LINE_PROTOCOL = /^[^\s,=]+(,[^\s,=]+=[^\s,]+)* [^\s,=]+=\S+( -?\d+)?$/;

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
const shown = (text: string): string => shorten(text, SHOWN_CHARACTERS);

const MAP_VALUE = '{ "values": { "value": $ } }';
const MAP_TEXT = '{ "values": { "text": $ } }';

/** An object with the samples of a device: its values are in `values`, or beside `device` and `ts`. */
const MAP_OBJECT =
  '{ "device": device, "ts": ts, "values": values ? values : $sift($, function($v, $k) { $not($k in ["device", "ts"]) }) }';

/**
 * The condition of a text with a pattern. Patterns match no Prometheus text, which also is a string in an expression.
 * JSONata counts brackets in patterns that are not escaped.
 */
const isText = (pattern: string): string => `$type($) = "string" and $contains($, /${pattern}/)`;

/** A word alone, or before another word. A Prometheus line is a name, braces with labels, and a number. */
const WORDS = String.raw`^[^\{#\s]+(\s+[A-Za-z]|$)`;

/** The condition of a text without columns or pairs. */
const isPlainText = (text: string): string =>
  new RegExp(WORDS).test(text) ? isText(WORDS) : '$type($) = "string"';

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value;
};

const pluralOf: Record<string, string> = {
  text: 'text values',
  null: 'nulls',
  number: 'numbers',
  boolean: 'booleans',
  list: 'lists',
  object: 'objects',
};

/** Objects with values, of which one has other fields too. A list of only such objects or only others has a format. */
const MIXED_LIST =
  '$type($) = "array" and $exists($.values) and $exists($keys($)[$not($ in ["device", "ts", "values"])])';

const describeList = (list: readonly unknown[]): Shape => {
  const [first, ...others] = [...new Set(list.map(kindOf))];
  if (first === undefined)
    return { words: 'an empty JSON list', condition: '$type($) = "array" and $count($) = 0', mapping: '[]' };
  if (first === 'object' && others.length === 0)
    return {
      words: `a JSON list of ${countOf(list.length, 'object')} of different shapes`,
      condition: MIXED_LIST,
      mapping: `{ "samples": $.${MAP_OBJECT} }`,
    };
  const kind = list.length === 1 ? first : pluralOf[first];
  return {
    words:
      others.length > 0
        ? `a JSON list of ${list.length} values of different kinds`
        : `a JSON list of ${list.length} ${kind}`,
    // A known format has only objects in its lists.
    condition: '$type($) = "array" and $count($[$type($) != "object"]) > 0',
    mapping: '{ "values": { "first": $[0] } }',
    leavesOut: list.length > 1 ? 'all values but the first' : undefined,
  };
};

/** Describes JSON in an unknown format. */
const shapeOfJson = (value: unknown): Shape => {
  if (Array.isArray(value)) return describeList(value);
  if (value === null) return { words: 'the JSON value null', condition: '$type($) = "null"', mapping: '[]' };
  if (typeof value === 'string')
    return { words: `the JSON text “${shown(value)}”`, condition: isPlainText(value), mapping: MAP_VALUE };
  return {
    words: `the JSON ${typeof value} ${JSON.stringify(value)}`,
    condition: `$type($) = "${typeof value}"`,
    mapping: MAP_VALUE,
  };
};

/** What `$number` reads. */
const NUMBER = /^-?\d+(\.\d+)?([Ee][-+]?\d+)?$/;

const DECIMAL_COMMA = /^-?\d+,\d+$/;

const readDecimalComma = (expression: string): string => `$number($replace(${expression}, ",", "."))`;

/** An expression for a part of a text, as a number if the part is one. */
const numberIf = (part: string | undefined, expression: string): string =>
  part !== undefined && NUMBER.test(part) ? `$number(${expression})` : expression;

/** The first line of a text. */
const FIRST_LINE = String.raw`$split($, /\r?\n/)[0]`;
const LATER_LINES = 'lines after the first';

const leftOut = (parts: readonly (string | false)[]): string | undefined => {
  const left = parts.filter((part) => part !== false);
  return left.length > 0 ? left.join(' and ') : undefined;
};

/**
 * Each pair with a value, by its name, also pairs that this message does not have. A quoted value may contain
 * separators.
 */
const mapPairs = (line: string): string => {
  const pairs = String.raw`$match(${line}, /([A-Za-z_][\w.-]*)=("[^"]+"|[^\s",;]+)/)`;
  const isNumber = String.raw`$contains(groups[1], /^-?\d+(\.\d+)?([Ee][-+]?\d+)?$/)`;
  const value = String.raw`${isNumber} ? $number(groups[1]) : $replace(groups[1], "\"", "")`;
  return `{ "values": $merge(${pairs}.{ groups[0]: ${value} }) }`;
};

const describePairs = (pairs: readonly string[], hasLines: boolean): Shape => {
  const names = pairs.map((pair) => pair.slice(0, pair.indexOf('=')));
  const hasEmpty = pairs.some((pair) => /=("")?$/.test(pair));
  return {
    words: `text of ${countOf(pairs.length, 'pair')} name=value (${shown(names.join(', '))})`,
    condition: isText(String.raw`^[\w.-]+=`),
    mapping: mapPairs(hasLines ? FIRST_LINE : '$'),
    leavesOut: leftOut([hasEmpty && 'empty values', hasLines && LATER_LINES]),
  };
};

const MAPPED_COLUMNS = 20;

/** The cells of the first line; undefined if the separator does not divide each line into the same number of columns. */
const splitEvenly = (text: string, delimiter: string): string[] | undefined => {
  const { data } = Papa.parse<string[]>(text, { delimiter, skipEmptyLines: true });
  // The last line may have been cut.
  const rows = text.length === READ_CHARACTERS && data.length > 1 ? data.slice(0, -1) : data;
  const [first = []] = rows;
  return first.length > 1 && rows.every((row) => row.length === first.length) ? first : undefined;
};

/** Describes CSV. Its columns become value1, value2 and so on. As text, an empty one would make its metric a text. */
const describeColumns = (cells: readonly string[], separator: string, hasLines: boolean): Shape => {
  const line = hasLines ? FIRST_LINE : '$';
  // A column with a whole number in this message can have a decimal comma in the next.
  const hasDecimalCommas = cells.some((cell) => DECIMAL_COMMA.test(cell.trim()));
  const mapped = cells.slice(0, MAPPED_COLUMNS).flatMap((cell, index) => {
    const content = cell.trim();
    if (content === '') return [];
    const part = `$trim($split(${line}, "${separator}")[${index}])`;
    const isDecimal = hasDecimalCommas && (DECIMAL_COMMA.test(content) || NUMBER.test(content));
    return [`"value${index + 1}": ${isDecimal ? readDecimalComma(part) : numberIf(content, part)}`];
  });
  return {
    words: `CSV with ${cells.length} columns`,
    condition: isText(String.raw`^[^\{#${separator}]*${separator}`),
    mapping: `{ "values": { ${mapped.join(', ')} } }`,
    leavesOut: leftOut([
      mapped.length < Math.min(cells.length, MAPPED_COLUMNS) && 'empty columns',
      cells.length > MAPPED_COLUMNS && `columns after the first ${MAPPED_COLUMNS}`,
      hasLines && LATER_LINES,
    ]),
  };
};

const describeDecimalComma = (number: string, hasLines: boolean): Shape => ({
  words: `the number ${shown(number)} with a decimal comma`,
  condition: isText(String.raw`^\s*-?\d+,\d+\s*(\r?\n|$)`),
  mapping: `{ "values": { "value": ${readDecimalComma(`$trim(${hasLines ? FIRST_LINE : '$'})`)} } }`,
  leavesOut: leftOut([hasLines && LATER_LINES]),
});

/** Describes separated values; undefined if a text has no separator. */
const shapeOfColumns = (text: string, line: string, hasLines: boolean): Shape | undefined => {
  const bySemicolon = splitEvenly(text, ';');
  if (bySemicolon !== undefined) return describeColumns(bySemicolon, ';', hasLines);
  const byTab = splitEvenly(text, '\t');
  if (byTab !== undefined) return describeColumns(byTab, '\\t', hasLines);
  if (DECIMAL_COMMA.test(line.trim())) return describeDecimalComma(line.trim(), hasLines);
  for (const [delimiter, separator] of [
    [',', ','],
    [';', ';'],
    ['\t', '\\t'],
  ] as const) {
    const [cells = []] = Papa.parse<string[]>(line, { delimiter }).data;
    if (cells.length > 1) return describeColumns(cells, separator, hasLines);
  }
  return undefined;
};

/** Whether a text begins with two lines that are JSON objects. Longer lines count as broken JSON. */
const hasJsonLines = (text: string): boolean => {
  const [first = '', second = ''] = text
    .slice(0, JSON_LINES_CHARACTERS)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return isJsonObject(first) && isJsonObject(second);
};

/** Describes text that is not JSON; undefined if it looks like broken JSON. */
const shapeOfText = (given: string): Shape | undefined => {
  const trimmed = given.trim();
  const text = trimmed.slice(0, READ_CHARACTERS);
  if (hasJsonLines(trimmed))
    return {
      words: 'JSON objects, one per line (NDJSON)',
      condition: isText(String.raw`^\s*\{`),
      mapping: `{ "samples": $split($, "\\n")[$trim($) != ""].$eval($).${MAP_OBJECT} }`,
    };
  if (/^[[{"]/.test(text)) return undefined;
  if (text.startsWith('<'))
    return { words: 'XML or HTML', condition: isText(String.raw`^\s*<`), mapping: MAP_TEXT };
  const [line = ''] = text.split(/\r?\n/);
  if (LINE_PROTOCOL.test(line) && line.includes(',')) {
    const field = line.split(' ')[1]?.split('=')[1];
    return {
      words: 'InfluxDB line protocol',
      condition: isText(String.raw`^[^\{#\s]+ \S+=`),
      mapping: `{ "values": { "value": ${numberIf(field, '$split($split($, " ")[1], "=")[1]')} } }`,
    };
  }
  // Separated by commas, semicolons or spaces. A quoted value may contain spaces.
  for (const pattern of [/[^,\s][^,]*/g, /[^;\s][^;]*/g, /[^\s"]+"[^"]*"|\S+/g]) {
    const pairs: string[] = line.match(pattern) ?? [];
    if (pairs.length > 0 && pairs.every((pair) => PAIR.test(pair)))
      return describePairs(pairs, trimmed.includes('\n'));
  }
  const columns = shapeOfColumns(text, line, trimmed.includes('\n'));
  if (columns !== undefined) return columns;
  return { words: `the text “${shown(line)}”`, condition: isPlainText(trimmed), mapping: MAP_TEXT };
};

/** What a message is, and an expression that maps messages of its shape and leaves all others to `auto`. */
type Advice = { readonly detail: string; readonly expression: string };

const adviceOf = ({ words, condition, mapping, leavesOut }: Shape): Advice => {
  const expression = suggestExpression(condition, mapping);
  return {
    detail: `This is ${words}. A message must be a JSON object or have a known format. An expression can map messages like this one.${leavesOut === undefined ? '' : ` The suggested expression leaves out ${leavesOut}.`}`,
    expression,
  };
};

/** Describes a message that is not JSON, and how to map it; undefined if it looks like broken JSON. */
export const describeText = (text: string): Advice | undefined => {
  const shape = shapeOfText(text);
  return shape === undefined ? undefined : adviceOf(shape);
};

/** Describes JSON in an unknown format, and how to map it. */
export const describeJson = (value: unknown): Advice => adviceOf(shapeOfJson(value));
