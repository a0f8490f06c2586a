import Papa from 'papaparse';
import { isObject } from './message-format.ts';

/** What a message is that no format recognises, and an expression that takes it, as an example. */
type Shape = { readonly words: string; readonly expression: string };

const SHOWN_CHARACTERS = 40;
const READ_CHARACTERS = 4_096;
const PAIR = /^[A-Za-z_][\w.-]*=("[^"]*"|[^\s"=]*)$/;
const LINE_PROTOCOL = /^[^\s,=]+(,[^\s,=]+=[^\s,]+)* [^\s,=]+=\S+( -?\d+)?$/;

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
const shown = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

const TAKES_ONE = '{ "values": { "value": $ } }';

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
  const takesFirst = '{ "values": { "first": $[0] } }';
  if (first === undefined) return { words: 'an empty JSON list', expression: '[]' };
  if (others.length > 0)
    return { words: `a JSON list of ${list.length} values of different kinds`, expression: takesFirst };
  if (first === 'object')
    return {
      words: `a JSON list of ${countOf(list.length, 'object')} of different shapes`,
      expression: '{ "samples": $.{ "values": values ? values : $ } }',
    };
  const kind = list.length === 1 ? first : pluralOf[first];
  return { words: `a JSON list of ${list.length} ${kind}`, expression: takesFirst };
};

/** The shape of JSON that no format recognises. */
const shapeOfJson = (value: unknown): Shape => {
  if (Array.isArray(value)) return describeList(value);
  if (isObject(value)) return { words: 'a JSON object of no known shape', expression: TAKES_ONE };
  if (value === null) return { words: 'the JSON value null', expression: '[]' };
  if (typeof value === 'string') return { words: `the JSON text “${shown(value)}”`, expression: TAKES_ONE };
  return { words: `the JSON ${typeof value} ${JSON.stringify(value)}`, expression: TAKES_ONE };
};

const describePairs = (pairs: readonly string[], separator: string): Shape => {
  const names = pairs.map((pair) => pair.slice(0, pair.indexOf('=')));
  const [first = ''] = names;
  return {
    words: `text of ${countOf(pairs.length, 'pair')} name=value (${shown(names.join(', '))})`,
    expression: `{ "values": { "${first}": $split($split($, "${separator}")[0], "=")[1] } }`,
  };
};

/** The shape of text that is not JSON; undefined where it looks like JSON that is broken. */
const shapeOfText = (given: string): Shape | undefined => {
  const text = given.trim().slice(0, READ_CHARACTERS);
  if (/^[[{"]/.test(text)) return undefined;
  if (text.startsWith('<')) return { words: 'XML or HTML', expression: '{ "values": { "text": $ } }' };
  const [line = ''] = text.split(/\r?\n/);
  if (LINE_PROTOCOL.test(line) && line.includes(','))
    return {
      words: 'InfluxDB line protocol',
      expression: '{ "values": { "value": $split($split($, " ")[1], "=")[1] } }',
    };
  for (const [pattern, separator] of [
    [/[^,\s][^,]*/g, ','],
    [/[^;\s][^;]*/g, ';'],
    // A quoted value may hold blanks.
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

const sentenceOf = ({ words, expression }: Shape): string =>
  `This is ${words}. A message must be a JSON object, or of a known format. To take this one, use an expression, for example ${expression}`;

/** Says what a message that is not JSON looks like, and how it can be taken; undefined where it looks like broken JSON. */
export const describeText = (text: string): string | undefined => {
  const shape = shapeOfText(text);
  return shape === undefined ? undefined : sentenceOf(shape);
};

/** Says what JSON of no known format is, and how it can be taken. */
export const describeJson = (value: unknown): string => sentenceOf(shapeOfJson(value));
