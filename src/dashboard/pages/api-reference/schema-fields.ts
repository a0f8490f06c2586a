import { formatCount, plural } from '../../ui/format/format-number.ts';
import { choicesOf, isUnion, resolve, type JsonSchema, type NamedSchemas } from './json-schema.ts';

/** A parameter, or a field of a request or response body, in words. */
export type DocumentedField = {
  name: string;
  isRequired: boolean;
  type: string;
  /** The allowed values, if they are listed. */
  values: readonly string[];
  /** “1–200”, “at most 100 characters”. */
  limits: readonly string[];
  default: string | undefined;
  example: string | undefined;
  pattern: string | undefined;
  description: string | undefined;
  fields: readonly DocumentedField[];
};

/** Deep enough for every schema; stops at recursive ones. */
const MAX_DEPTH = 6;

const literal = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const typeNames: Record<string, string> = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  string: 'text',
  object: 'object',
  null: 'null',
};
const pluralTypes: Record<string, string> = {
  integer: 'integers',
  number: 'numbers',
  text: 'text values',
  object: 'objects',
};

const joined = (words: readonly string[]): string => [...new Set(words)].join(' or ');

/** What a value is: “text”, “Device”, “list of integers”, “number or null”. */
export const typeText = (schema: JsonSchema, named: NamedSchemas): string => {
  const { name, schema: own } = resolve(schema, named);
  const { choices, isNullable } = choicesOf(own);
  const words = choices.map((choice) => {
    const { name: choiceName, schema: one } = resolve(choice, named);
    const known = choiceName ?? (choices.length === 1 ? name : null);
    if (known !== null && one.type !== 'string') return known;
    if (isUnion(one)) return typeText(one, named);
    if (one.type === 'array') {
      const item = one.items === undefined ? 'anything' : typeText(one.items, named);
      return item === 'one of' ? 'list, each one of' : `list of ${pluralTypes[item] ?? item}`;
    }
    if (one.format === 'date-time') return 'time';
    if (one.format === 'uri') return 'address';
    if (one.type === 'object' && one.properties === undefined) return mapText(one, named);
    if (one.enum !== undefined || one.const !== undefined) return 'one of';
    return (typeof one.type === 'string' ? typeNames[one.type] : undefined) ?? 'anything';
  });
  return joined([...words, ...(isNullable ? ['null'] : [])]);
};

const mapText = ({ additionalProperties }: JsonSchema, named: NamedSchemas): string => {
  if (typeof additionalProperties !== 'object') return 'object';
  const value = typeText(additionalProperties, named);
  return value === 'anything' ? 'object' : `object of name: ${value}`;
};

const range = (from: number | undefined, to: number | undefined): string | null => {
  // The range of safe integers is not a limit of the field.
  const least = from === undefined || from <= Number.MIN_SAFE_INTEGER ? undefined : from;
  const most = to === undefined || to >= Number.MAX_SAFE_INTEGER ? undefined : to;
  if (least !== undefined && most !== undefined) return `${formatCount(least)}–${formatCount(most)}`;
  if (least !== undefined) return `at least ${formatCount(least)}`;
  return most === undefined ? null : `at most ${formatCount(most)}`;
};

const sized = (
  least: number | undefined,
  most: number | undefined,
  one: string,
  many: string,
): string | null => {
  if (most !== undefined && (least ?? 0) > 1) return `${formatCount(least ?? 0)}–${plural(most, one, many)}`;
  if (most !== undefined) return `at most ${plural(most, one, many)}${least === 1 ? ', not empty' : ''}`;
  if (least === undefined || least === 0) return null;
  return least === 1 ? 'not empty' : `at least ${plural(least, one, many)}`;
};

const limitsOf = (schema: JsonSchema): string[] =>
  [
    range(schema.minimum ?? schema.exclusiveMinimum, schema.maximum ?? schema.exclusiveMaximum),
    schema.format === undefined ? sized(schema.minLength, schema.maxLength, 'character', 'characters') : null,
    schema.type === 'array' ? sized(schema.minItems, schema.maxItems, 'entry', 'entries') : null,
  ].filter((text) => text !== null);

/** The schema that describes a value: the one beside null, or the one of a list's items. */
const mainSchemaOf = (schema: JsonSchema, named: NamedSchemas): JsonSchema => {
  const { schema: own } = resolve(schema, named);
  const { choices } = choicesOf(own);
  const [only] = choices;
  return only === undefined || choices.length > 1 ? own : resolve(only, named).schema;
};

const valuesOf = (schema: JsonSchema, named: NamedSchemas): readonly string[] => {
  const { choices } = choicesOf(resolve(schema, named).schema);
  return choices.flatMap((choice) => {
    const one = resolve(choice, named).schema;
    if (one.enum !== undefined) return one.enum.map(literal);
    if (one.const !== undefined) return [literal(one.const)];
    return one.type === 'array' && one.items !== undefined ? valuesOf(one.items, named) : [];
  });
};

const fieldOf = (
  name: string,
  schema: JsonSchema,
  isRequired: boolean,
  named: NamedSchemas,
  depth: number,
): DocumentedField => {
  const main = mainSchemaOf(schema, named);
  const entry = main.items === undefined ? undefined : mainSchemaOf(main.items, named);
  const example = schema.examples?.[0] ?? main.examples?.[0] ?? entry?.examples?.[0];
  const values = valuesOf(schema, named);
  return {
    name,
    isRequired,
    type: typeText(schema, named),
    values,
    limits: limitsOf(main),
    default: schema.default === undefined ? undefined : literal(schema.default),
    example:
      example === undefined || values.length > 0 || main.format === 'date-time'
        ? undefined
        : literal(example),
    pattern: example === undefined && main.format === undefined ? main.pattern : undefined,
    description: schema.description ?? main.description,
    fields: depth >= MAX_DEPTH ? [] : fieldsOf(schema, named, depth + 1),
  };
};

/** The fields that a value has: those of an object, of the entries of a list, and of each choice. */
export const fieldsOf = (schema: JsonSchema, named: NamedSchemas, depth = 0): DocumentedField[] => {
  const { choices } = choicesOf(resolve(schema, named).schema);
  const found = choices.flatMap((choice) => {
    const own = resolve(choice, named).schema;
    if (isUnion(own)) return fieldsOf(own, named, depth);
    if (own.type === 'array' && own.items !== undefined) return fieldsOf(own.items, named, depth);
    if (own.properties === undefined && typeof own.additionalProperties === 'object')
      return fieldsOf(own.additionalProperties, named, depth);
    return Object.entries(own.properties ?? {}).map(([name, property]) =>
      fieldOf(name, property, own.required?.includes(name) ?? false, named, depth),
    );
  });
  // A field that several alternatives share is listed once.
  return found.filter(
    (field, index) => found.findIndex((other) => JSON.stringify(other) === JSON.stringify(field)) === index,
  );
};

/** A parameter as a field. */
export const parameterField = (
  {
    name,
    isRequired,
    description,
    schema,
  }: {
    name: string;
    isRequired: boolean;
    description: string | undefined;
    schema: JsonSchema;
  },
  named: NamedSchemas,
): DocumentedField =>
  fieldOf(name, { ...schema, description: description ?? schema.description }, isRequired, named, 0);
