import { isObject } from './json-object.ts';

type Filter = { readonly name: string; readonly argument: number | undefined };
/** A supported template: the fields of the JSON, or undefined for the text itself, and filters. */
type Template = { readonly path: readonly string[] | undefined; readonly filters: readonly Filter[] };

const NAME = /^[A-Za-z_]\w*/;
const STEP = /^(?:\.([A-Za-z_]\w*)|\[\s*(?:'([^'\\]*)'|"([^"\\]*)"|(\d{1,4}))\s*\])/;
const FILTER = /^(float|int|round)(?:\(\s*(\d+(?:\.\d+)?)?\s*\))?$/;
const MAX_LENGTH = 512;

const readPath = (text: string): string[] | undefined => {
  const path: string[] = [];
  for (let rest = text; rest !== '';) {
    const step = STEP.exec(rest);
    if (step === null) return undefined;
    path.push(step[1] ?? step[2] ?? step[3] ?? step[4] ?? '');
    rest = rest.slice(step[0].length);
  }
  return path;
};

/**
 * Reads a template of the forms `{{ value }}` and `{{ value_json.a['b'][0] }}`, with the filters `float`, `int` and
 * `round(n)`. Undefined for any other template.
 */
const readTemplate = (text: string): Template | undefined => {
  const trimmed = text.trim();
  if (text.length > MAX_LENGTH || trimmed.length < 4 || !trimmed.startsWith('{{') || !trimmed.endsWith('}}'))
    return undefined;
  const expression = trimmed.slice(2, -2).replace(/^-/, '').replace(/-$/, '').trim();
  // Templates whose field names contain pipes or quotes are not supported.
  const [source = '', ...given] = expression.split('|').map((part) => part.trim());
  const filters: Filter[] = [];
  for (const filter of given) {
    const [, name, argument] = FILTER.exec(filter) ?? [];
    if (name === undefined) return undefined;
    filters.push({ name, argument: argument === undefined ? undefined : Number(argument) });
  }
  const [variable] = NAME.exec(source) ?? [];
  if (variable === undefined) return undefined;
  const path = readPath(source.slice(variable.length));
  if (path === undefined) return undefined;
  if (variable === 'value') return path.length === 0 ? { path: undefined, filters } : undefined;
  return variable === 'value_json' ? { path, filters } : undefined;
};

export const isKnownTemplate = (text: string): boolean => readTemplate(text) !== undefined;

/** Rounds as Python does: a number in the middle becomes the even neighbour. */
const roundEven = (value: number, digits: number): number => {
  const places = Math.min(Math.max(Math.trunc(digits), 0), 15);
  const scaled = value * 10 ** places;
  if (Math.abs(scaled % 1) !== 0.5 || scaled / 10 ** places !== value) return Number(value.toFixed(places));
  return (2 * Math.round(scaled / 2)) / 10 ** places;
};

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** The number that a value is or reads as. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : undefined;
};

const applyFilter = (value: unknown, { name, argument }: Filter): unknown => {
  const number = numberOf(value);
  if (number === undefined) return undefined;
  if (name === 'float') return number;
  return name === 'int' ? Math.trunc(number) : roundEven(number, argument ?? 0);
};

/**
 * The value that a known template takes from a message: null if the message does not have it; undefined if a filter
 * cannot be applied to it. Default values of filters are not used: the message does not contain them.
 */
export const applyTemplate = (template: string, content: unknown, text: string): unknown => {
  const known = readTemplate(template);
  if (known === undefined) return undefined;
  let value: unknown = known.path === undefined ? text : content;
  for (const step of known.path ?? []) {
    const owner = Array.isArray(value) ? (value as unknown as Record<string, unknown>) : value;
    if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, step)) return null;
    value = Array.isArray(value) ? (value as unknown[])[Number(step)] : isObject(owner) ? owner[step] : null;
  }
  if (value === null || value === undefined) return null;
  for (const filter of known.filters) {
    value = applyFilter(value, filter);
    if (value === undefined) return undefined;
  }
  return value;
};
