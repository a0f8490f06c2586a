import * as z from 'zod';
import { isReference, MASK } from '#contract/connection-fields.ts';
import { capitalize } from '#contract/capitalize.ts';
import { describeIssue } from '#contract/describe-issue.ts';

/** An input of the form: text as typed, or the state of a check box. */
export type FieldInputs = Record<string, string | boolean | undefined>;
export type FieldValues = Record<string, unknown>;

export type SchemaField = {
  name: string;
  label: string;
  help: string | undefined;
  isRequired: boolean;
  default: unknown;
  /** The unit of a number. */
  unit: string | undefined;
  example: string | undefined;
  /**
   * `json`: a type without a control of its own, edited as JSON. `lines`: a list of texts, one in each line. `rows`: a list
   * of objects, or names and values.
   */
  kind: 'text' | 'secret' | 'number' | 'choice' | 'flag' | 'json' | 'lines' | 'rows';
  /** The columns of `rows`. */
  columns: readonly SchemaField[];
  /** `rows` of names and values: an object. */
  isRecord: boolean;
  choices: readonly unknown[];
  /** Contains secrets: not stored in drafts and never shown. */
  isSecret: boolean;
};

const propertySchema = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  unit: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  format: z.string().optional(),
  writeOnly: z.boolean().optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
});
const objectSchema = z.looseObject({
  properties: z.record(z.string(), propertySchema).default({}),
  required: z.array(z.string()).default([]),
});

type Property = z.infer<typeof propertySchema>;

const CELL_KINDS: readonly SchemaField['kind'][] = ['text', 'number', 'choice'];

/** “Register” of “Registers”. */
export const singularOf = (label: string): string => label.replace(/s$/, '');

/** The columns of a list of flat objects, or of an object of texts; none for other types. */
const columnsOf = ({ type, title, items, properties, additionalProperties }: Property): SchemaField[] => {
  if (type === 'object' && properties === undefined) {
    if (propertySchema.safeParse(additionalProperties).data?.type !== 'string') return [];
    const name = { type: 'string', title: singularOf(title ?? 'Name') };
    return schemaFieldsOf({ properties: { name, value: { type: 'string' } }, required: ['name'] });
  }
  const columns = type === 'array' ? schemaFieldsOf(items) : [];
  return columns.every(({ kind }) => CELL_KINDS.includes(kind)) ? columns : [];
};

const isListOfTexts = ({ type, items }: Property): boolean =>
  type === 'array' && propertySchema.safeParse(items).data?.type === 'string';

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The first example, lists in lines. */
const exampleIn = ([example]: readonly unknown[]): string | undefined => {
  if (Array.isArray(example) && example.every((line) => typeof line === 'string')) return example.join('\n');
  return typeof example === 'string' ? example : undefined;
};

const kindOf = (property: Property): SchemaField['kind'] => {
  if (property.enum !== undefined) return 'choice';
  if (property.type === 'boolean') return 'flag';
  if (property.type === 'number' || property.type === 'integer') return 'number';
  if (isListOfTexts(property)) return 'lines';
  if (property.type !== 'string') return columnsOf(property).length > 0 ? 'rows' : 'json';
  return property.writeOnly === true || property.format === 'password' ? 'secret' : 'text';
};

const spaced = (name: string): string =>
  capitalize(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase());

const fieldOf = (name: string, property: Property, isRequired: boolean): SchemaField => ({
  name,
  label: property.title ?? spaced(name),
  help: property.description,
  isRequired,
  default: property.default,
  unit: property.unit,
  example: exampleIn(property.examples ?? []),
  kind: kindOf(property),
  columns: columnsOf(property),
  isRecord: property.type === 'object',
  choices: property.enum ?? [],
  isSecret: property.writeOnly === true,
});

/** The fields of an object, read from its JSON Schema; none where it cannot be read. */
export const schemaFieldsOf = (schema: unknown): SchemaField[] => {
  const parsed = objectSchema.safeParse(schema);
  if (!parsed.success) return [];
  const { properties, required } = parsed.data;
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name)),
  );
};

/** A required field, read from its JSON Schema; undefined if there is none. */
export const schemaFieldOf = (name: string, schema: unknown): SchemaField | undefined => {
  const parsed = propertySchema.safeParse(schema);
  return parsed.success ? fieldOf(name, parsed.data, true) : undefined;
};

/** Formats have their own spelling. */
const SPELLINGS: Readonly<Record<string, string>> = { csv: 'CSV', ndjson: 'NDJSON' };

export const choiceLabel = (value: unknown): string => {
  const text = valueText(value);
  if (Object.hasOwn(SPELLINGS, text)) return SPELLINGS[text]!;
  return capitalize(text);
};

/** A secret, whose value is never shown. A reference to a variable is not secret. */
export const secretInWords = (value: unknown): string => {
  const text = valueText(value);
  if (isReference(text)) return text;
  return text.includes(MASK) ? 'Stored secret' : 'New secret';
};

/** A value as text: a word or a number as it is, anything else as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const textOf = ({ kind }: SchemaField, value: unknown): string | boolean => {
  if (kind === 'flag') return value === true;
  if (value === undefined || value === null) return '';
  if (kind === 'lines' && Array.isArray(value)) return value.map(valueText).join('\n');
  return kind === 'json' || kind === 'rows' ? JSON.stringify(value, null, 2) : valueText(value);
};

/** The inputs for values. Missing values are empty, or the default of a choice. */
export const inputOf = (fields: readonly SchemaField[], values: FieldValues): FieldInputs =>
  Object.fromEntries(
    fields.map((field) => {
      const isShown = field.kind === 'choice' || field.kind === 'flag';
      return [field.name, textOf(field, values[field.name] ?? (isShown ? field.default : undefined))];
    }),
  );

/** The inputs of `fields`, with what was typed into fields of the same names before another type was chosen. */
export const keepInput = (fields: readonly SchemaField[], typed: FieldInputs): FieldInputs => {
  const kept = fields.filter(({ name }) => typed[name] !== undefined && typed[name] !== '');
  return { ...inputOf(fields, {}), ...Object.fromEntries(kept.map(({ name }) => [name, typed[name]])) };
};

const parseJson = (text: string): { value?: unknown; problem?: string } => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'Must be JSON.' };
  }
};

/** The value of one input; none if the input is empty or equals the default. */
const readField = (
  field: SchemaField,
  input: string | boolean | undefined,
): { value?: unknown; problem?: string } => {
  if (field.kind === 'flag') return input === (field.default ?? false) ? {} : { value: input === true };
  const text = typeof input === 'string' ? input.trim() : '';
  if (text === '') return field.isRequired ? { problem: 'Must not be empty.' } : {};
  if (field.kind === 'choice') {
    const value = field.choices.find((choice) => valueText(choice) === text);
    return value === field.default ? {} : { value };
  }
  if (field.kind === 'json' || field.kind === 'rows') return parseJson(text);
  if (field.kind === 'lines') return { value: linesIn(text) };
  if (field.kind !== 'number') return { value: text };
  const value = Number(text.replace(',', '.'));
  return Number.isFinite(value) ? { value } : { problem: 'Must be a number.' };
};

/** The values of the inputs; inputs that cannot be parsed are left out. */
export const valuesOf = (fields: readonly SchemaField[], input: FieldInputs): FieldValues =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const { value } = readField(field, input[field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );

/** A problem of an input. `path`: the field, and in `rows` the cell. */
export type InputProblem = { path: readonly (string | number)[]; message: string };

/** The problems of the inputs: of rows all, of other fields the first. Without a schema, only the service validates. */
export const problemsOf = (
  schema: z.ZodType | undefined,
  fields: readonly SchemaField[],
  input: FieldInputs,
): InputProblem[] => {
  const problems: InputProblem[] = [];
  for (const field of fields) {
    const { problem } = readField(field, input[field.name]);
    if (problem !== undefined) problems.push({ path: [field.name], message: problem });
  }
  for (const issue of schema?.safeParse(valuesOf(fields, input)).error?.issues ?? []) {
    const { path } = issue;
    const name = String(path[0] ?? '');
    const isRows = fields.some((field) => field.name === name && field.kind === 'rows');
    const isFirst = problems.every((known) => known.path[0] !== name);
    if (isFirst || isRows)
      problems.push({ path: isRows ? path.map(keyInForm) : [name], message: describeIssue(issue) });
  }
  return problems;
};

/** A part of a path in the form, whose paths are separated by dots. An empty name is a slash, which no name contains. */
export const keyInForm = (key: PropertyKey): string | number =>
  typeof key === 'number' ? key : key === '' ? '/' : String(key).replaceAll('.', '\u2024');

export const isRecord = (value: unknown): value is FieldValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The merge patch (RFC 7396) from one object to another: removed fields are null. */
export const patchOf = (from: FieldValues, to: FieldValues): FieldValues => {
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const set = Object.entries(to).filter(
    ([key, value]) => JSON.stringify(from[key]) !== JSON.stringify(value),
  );
  return Object.fromEntries([
    ...gone.map((key) => [key, null] as const),
    ...set.map(([key, value]) => {
      const old = from[key];
      return [key, isRecord(old) && isRecord(value) ? patchOf(old, value) : value] as const;
    }),
  ]);
};
