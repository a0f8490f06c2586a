import * as z from 'zod';
import { pipelineConfigs } from '#contract/pipeline-types.ts';
import type { PipelineType } from '#contract/pipelines.ts';

/** What stands in the form: text as it was typed, or whether a box is ticked. */
export type ConfigInput = Record<string, string | boolean | undefined>;
export type Config = Record<string, unknown>;

export type ConfigField = {
  name: string;
  label: string;
  help: string | undefined;
  isRequired: boolean;
  default: unknown;
  example: string | undefined;
  /** `json`: of no form that has a control of its own; written as JSON. */
  kind: 'text' | 'secret' | 'number' | 'choice' | 'flag' | 'json';
  choices: readonly unknown[];
};

const propertySchema = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  format: z.string().optional(),
  writeOnly: z.boolean().optional(),
});
const objectSchema = z.looseObject({
  properties: z.record(z.string(), propertySchema).default({}),
  required: z.array(z.string()).default([]),
});

const kindOf = (property: z.infer<typeof propertySchema>): ConfigField['kind'] => {
  if (property.enum !== undefined) return 'choice';
  if (property.type === 'boolean') return 'flag';
  if (property.type === 'number' || property.type === 'integer') return 'number';
  if (property.type !== 'string') return 'json';
  return property.writeOnly === true || property.format === 'password' ? 'secret' : 'text';
};

const spaced = (name: string) => {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The fields of a type's config, read from its JSON Schema. */
export const configFieldsOf = (type: PipelineType | undefined): ConfigField[] => {
  const parsed = objectSchema.safeParse(type?.configSchema ?? {});
  if (!parsed.success) return [];
  const { properties, required } = parsed.data;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    label: property.title ?? spaced(name),
    help: property.description,
    isRequired: required.includes(name),
    default: property.default,
    example: typeof property.examples?.[0] === 'string' ? property.examples[0] : undefined,
    kind: kindOf(property),
    choices: property.enum ?? [],
  }));
};

/** A value as text: a word or a number as it is, anything else as JSON. */
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const textOf = ({ kind }: ConfigField, value: unknown): string | boolean => {
  if (kind === 'flag') return value === true;
  if (value === undefined || value === null) return '';
  return kind === 'json' ? JSON.stringify(value, null, 2) : wordOf(value);
};

/** A config as the form holds it. What is left out is empty, or shows its default where it is a choice. */
export const inputOf = (fields: readonly ConfigField[], config: Config): ConfigInput =>
  Object.fromEntries(
    fields.map((field) => {
      const isShown = field.kind === 'choice' || field.kind === 'flag';
      return [field.name, textOf(field, config[field.name] ?? (isShown ? field.default : undefined))];
    }),
  );

const parseJson = (text: string): { value?: unknown; problem?: string } => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'Must be JSON.' };
  }
};

/** What one field says; no value where it is left out or says no more than its default. */
const readField = (
  field: ConfigField,
  input: string | boolean | undefined,
): { value?: unknown; problem?: string } => {
  if (field.kind === 'flag') return input === (field.default ?? false) ? {} : { value: input === true };
  const text = typeof input === 'string' ? input.trim() : '';
  if (text === '') return field.isRequired ? { problem: 'Must not be empty.' } : {};
  if (field.kind === 'choice') {
    const value = field.choices.find((choice) => wordOf(choice) === text);
    return value === field.default ? {} : { value };
  }
  if (field.kind === 'json') return parseJson(text);
  if (field.kind !== 'number') return { value: text };
  const value = Number(text.replace(',', '.'));
  return Number.isFinite(value) ? { value } : { problem: 'Must be a number.' };
};

/** The config that the form stands for; a field that cannot be read is left out. */
export const configOf = (fields: readonly ConfigField[], input: ConfigInput): Config =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const { value } = readField(field, input[field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );

const isKnown = (type: string): type is keyof typeof pipelineConfigs => Object.hasOwn(pipelineConfigs, type);

/** What is wrong with a config, by the name of the field. */
export const problemsOf = (
  type: string,
  fields: readonly ConfigField[],
  input: ConfigInput,
): Map<string, string> => {
  const problems = new Map<string, string>();
  for (const field of fields) {
    const { problem } = readField(field, input[field.name]);
    if (problem !== undefined) problems.set(field.name, problem);
  }
  // A type that is newer than this page is judged by the service alone.
  const issues = isKnown(type)
    ? (pipelineConfigs[type].safeParse(configOf(fields, input)).error?.issues ?? [])
    : [];
  for (const { path, message } of issues) {
    const name = String(path[0] ?? '');
    if (!problems.has(name)) problems.set(name, message);
  }
  return problems;
};
