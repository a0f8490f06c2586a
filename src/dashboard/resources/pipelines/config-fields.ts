import { pipelineConfigs } from '#contract/pipeline-types.ts';
import type { PipelineType } from '#contract/pipelines.ts';
import {
  problemsOf,
  schemaFieldsOf,
  type FieldInputs,
  type SchemaField,
} from '../../kit/schema-form/schema-field.ts';

/** The fields of a type's config; none of a type that is not known. */
export const configFieldsOf = (type: PipelineType | undefined): SchemaField[] =>
  schemaFieldsOf(type?.configSchema ?? {});

const isKnown = (type: string): type is keyof typeof pipelineConfigs => Object.hasOwn(pipelineConfigs, type);

/** What is wrong with a config, by the name of the field. A type that is newer than this page the service judges alone. */
export const configProblemsOf = (
  type: string,
  fields: readonly SchemaField[],
  input: FieldInputs,
): Map<string, string> => problemsOf(isKnown(type) ? pipelineConfigs[type] : undefined, fields, input);

const names: Record<string, string> = {
  '/name': 'Name',
  '/type': 'Type',
  '/interval': 'Interval',
  '/destination': 'Destination',
  '/mapping/expression': 'Expression',
};

/** What a pointer into a pipeline names, as the form calls it. */
export const fieldInWords = (pointer: string): string => {
  const last = pointer.split('/').at(-1) ?? '';
  return names[pointer] ?? last.charAt(0).toUpperCase() + last.slice(1);
};
