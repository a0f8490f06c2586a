import Papa from 'papaparse';
import { isObject } from './json-object.ts';

/** A description of a message in an unknown format, and an example of an expression that maps it. */
type Shape = { readonly words: string; readonly expression: string };

const SHOWN_CHARACTERS = 40;
const READ_CHARACTERS = 4_096;
const JSON_LINES_CHARACTERS = 65_536;
const PAIR = /^[A-Za-z_][\w.-]*=("[^"]*"|[^\s"=]*)$/;
const LINE_PROTOCOL = /^[^\s,=]+(,[^\s,=]+=[^\s,]+)* [^\s,=]+=\S+( -?\d+)?$/;

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
const shown = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

const MAP_VALUE = '{ "values": { "value": $ } }';

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value;
};

const pluralOf: Record<string, string> = {
  text: 'texts',
  null: 'nulls',
  number: 'numbers',
  boolean: 'booleans',
  list: 'lists',
  object: 'objects',
};

const describeList = (list: readonly unknown[]): Shape => {
  const [first, ...others] = [...new Set(list.map(kindOf))];
  const mapFirst = '{ "values": { "first": $[0] } }';
  if (first === undefined) return { words: 'an empty JSON list', expression: '[]' };
  if (others.length > 0)
    return { words: `a JSON list of ${list.length} values of different kinds`, expression: mapFirst };
  if (first === 'object')
    return {
      words: `a JSON list of ${countOf(list.length, 'object')} of different shapes`,
      expression: '{ "samples": $.{ "values": values ? values : $ } }',
    };
  const kind = list.length === 1 ? first : pluralOf[first];
  return { words: `a JSON list of ${list.length} ${kind}`, expression: mapFirst };
};

/** Describes JSON in an unknown format. */
const shapeOfJson = (value: unknown): Shape => {
  if (Array.isArray(value)) return describeList(value);
  if (isObject(value)) return { words: 'a JSON object in an unknown format', expression: MAP_VALUE };
  if (value === null) return { words: 'the JSON value null', expression: '[]' };
  if (typeof value === 'string') return { words: `the JSON text “${shown(value)}”`, expression: MAP_VALUE };
  return { words: `the JSON ${typeof value} ${JSON.stringify(value)}`, expression: MAP_VALUE };
};

/** What `$number` reads. */
const NUMBER = /^-?\d+(\.\d+)?([Ee][-+]?\d+)?$/;

/** An expression for a part of a text, as a number if the part is one. */
const numberIf = (part: string | undefined, expression: string): string =>
  part !== undefined && NUMBER.test(part) ? `$number(${expression})` : expression;

const describePairs = (pairs: readonly string[], separator: string): Shape => {
  const names = pairs.map((pair) => pair.slice(0, pair.indexOf('=')));
  const [first = ''] = names;
  const value = numberIf(pairs[0]?.slice(first.length + 1), `$split($split($, "${separator}")[0], "=")[1]`);
  return {
    words: `text of ${countOf(pairs.length, 'pair')} name=value (${shown(names.join(', '))})`,
    expression: `{ "values": { "${first}": ${value} } }`,
  };
};

const isJsonObject = (line: string): boolean => {
  try {
    return isObject(JSON.parse(line));
  } catch {
    return false;
  }
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
      expression: '$split($, "\\n")[$trim($) != ""].{ "values": $eval($) }',
    };
  if (/^[[{"]/.test(text)) return undefined;
  if (text.startsWith('<')) return { words: 'XML or HTML', expression: '{ "values": { "text": $ } }' };
  const [line = ''] = text.split(/\r?\n/);
  if (LINE_PROTOCOL.test(line) && line.includes(',')) {
    const field = line.split(' ')[1]?.split('=')[1];
    return {
      words: 'InfluxDB line protocol',
      expression: `{ "values": { "value": ${numberIf(field, '$split($split($, " ")[1], "=")[1]')} } }`,
    };
  }
  for (const [pattern, separator] of [
    [/[^,\s][^,]*/g, ','],
    [/[^;\s][^;]*/g, ';'],
    // A quoted value may contain spaces.
    [/[^\s"]+"[^"]*"|\S+/g, ' '],
  ] as const) {
    const pairs: string[] = line.match(pattern) ?? [];
    if (pairs.length > 0 && pairs.every((pair) => PAIR.test(pair))) return describePairs(pairs, separator);
  }
  for (const [delimiter, separator] of [
    [',', ','],
    [';', ';'],
    ['\t', '\\t'],
  ] as const) {
    const { data } = Papa.parse<string[]>(line, { delimiter });
    const columns = data[0]?.length ?? 0;
    if (columns > 1)
      return {
        words: `CSV with ${columns} columns`,
        expression: `{ "values": { "first": $number($split($, "${separator}")[0]) } }`,
      };
  }
  return { words: `the text “${shown(line)}”`, expression: '{ "values": { "text": $ } }' };
};

/** What a message is, and an expression that maps it. */
type Advice = { readonly detail: string; readonly expression: string };

const adviceOf = ({ words, expression }: Shape): Advice => ({
  detail: `This is ${words}. A message must be a JSON object or have a known format. To map this message, use an expression, for example ${expression}`,
  expression,
});

/** Describes a message that is not JSON, and how to map it; undefined if it looks like broken JSON. */
export const describeText = (text: string): Advice | undefined => {
  const shape = shapeOfText(text);
  return shape === undefined ? undefined : adviceOf(shape);
};

/** Describes JSON in an unknown format, and how to map it. */
export const describeJson = (value: unknown): Advice => adviceOf(shapeOfJson(value));
