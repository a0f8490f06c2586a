import type { UseFormReturn } from 'react-hook-form';
import { placeSchemaErrors } from '../../kit/schema-form/place-schema-errors.ts';
import type { FieldInputs, SchemaField } from '../../kit/schema-form/schema-field.ts';
import type { PipelineFormValues } from './pipeline-form-values.ts';

type Fault = { pointer?: string | undefined; detail: string };

/** The fields that the form has by other names. */
const ownNames: Record<string, string> = { '/interval': '/every', '/mapping/expression': '/expression' };

/** Places what concerns the config at its fields; answers the rest, by the names that the form has for it. */
export const placeConfigErrors = (
  form: UseFormReturn<PipelineFormValues, unknown, PipelineFormValues>,
  fields: readonly SchemaField[],
  faults: readonly Fault[],
): Fault[] => {
  // The rest of the form is nothing to its config.
  const { setError } = form as unknown as UseFormReturn<{ config: FieldInputs }>;
  return placeSchemaErrors(setError, '/config', fields, faults).map(({ pointer = '', detail }) => ({
    pointer: ownNames[pointer] ?? pointer,
    detail,
  }));
};
