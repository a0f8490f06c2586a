import { capitalize } from '#contract/capitalize.ts';
import { pipelineConfigs } from '#contract/pipeline-types.ts';
import type { PipelineType } from '#contract/pipelines.ts';
import {
  problemsOf,
  schemaFieldsOf,
  type FieldInputs,
  type InputProblem,
  type SchemaField,
} from '../../kit/schema-form/schema-field.ts';

/** The fields of a type's config; none of a type that is not known. */
export const configFieldsOf = (type: PipelineType | undefined): SchemaField[] =>
  schemaFieldsOf(type?.configSchema ?? {});

const isKnown = (type: string): type is keyof typeof pipelineConfigs => Object.hasOwn(pipelineConfigs, type);

/** The problems of a config. For an unknown type, only the service validates. */
export const configProblemsOf = (
  type: string,
  fields: readonly SchemaField[],
  input: FieldInputs,
): InputProblem[] => problemsOf(isKnown(type) ? pipelineConfigs[type] : undefined, fields, input);

const names: Record<string, string> = {
  '/name': 'Name',
  '/type': 'Type',
  '/interval': 'Interval',
  '/destination': 'Destination',
  '/mapping/expression': 'Expression',
};

/** The label of the field that a pointer names. */
export const fieldInWords = (pointer: string): string => {
  const last = pointer.split('/').at(-1) ?? '';
  return names[pointer] ?? capitalize(last);
};
