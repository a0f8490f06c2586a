import type { PipelineType } from '#contract/pipelines.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';
import { formatSeconds } from '../../ui/format/format-duration.ts';
import { configFieldsOf } from '../../resources/pipelines/config-fields.ts';
import { splitInterval } from '../../resources/pipelines/interval-setting.ts';
import { pointerInForm } from './form-steps.ts';
import { secondsOf, type PipelineFormValues, type PipelineFormState } from './pipeline-form-values.ts';
import type { UseFormReturn } from 'react-hook-form';
import { placeSchemaErrors } from '../../kit/schema-form/place-schema-errors.ts';
import { secretInWords, type FieldInputs, type SchemaField } from '../../kit/schema-form/schema-field.ts';
import { mappingLabel } from '../../resources/pipelines/mappings.ts';
import { formatBoolean } from '../../ui/format/format-boolean.ts';

const CONFIG = 'config ';
const labels: Record<string, string> = {
  name: 'Name',
  type: 'Type',
  interval: 'Interval',
  destination: 'Destination',
  mapping: 'Mapping',
  expression: 'Expression',
};

/** The fields of a pipeline's form, including each config field, but not the message of the preview. */
export const pipelineFieldsOf = (types: readonly PipelineType[]): EditedFields<PipelineFormValues> => {
  const configFields = types.flatMap((type) => configFieldsOf(type));
  const configFieldOf = (key: string) => configFields.find(({ name }) => key === CONFIG + name);
  return {
    versionOf: (values) => {
      const { name, type, destination, mapping, expression, config } = values;
      const seconds = secondsOf(values);
      const known = configFieldsOf(types.find((each) => each.type === type));
      return versionOfEntries([
        ['name', name],
        ['type', type],
        ['interval', Number.isFinite(seconds) ? seconds : undefined],
        ['destination', destination],
        ['mapping', mapping],
        ['expression', expression],
        ...known.map(({ name: field }) => [CONFIG + field, config[field]] as const),
      ]);
    },
    put: (values, key, value) => {
      if (key === 'interval') return { ...values, ...splitInterval(Number(value)) };
      if (!key.startsWith(CONFIG)) return { ...values, [key]: value ?? '' };
      const input = typeof value === 'boolean' ? value : String(value ?? '');
      return { ...values, config: { ...values.config, [key.slice(CONFIG.length)]: input } };
    },
    labelOf: (key) => {
      if (!key.startsWith(CONFIG)) return labels[key] ?? key;
      return configFieldOf(key)?.label ?? key.slice(CONFIG.length);
    },
    textOf: (key, value) => {
      if (key === 'interval') return formatSeconds(Number(value));
      if (configFieldOf(key)?.isSecret === true) return secretInWords(value);
      if (key === 'mapping') return mappingLabel(String(value));
      if (key === 'type') return types.find(({ type }) => type === value)?.label ?? String(value);
      return typeof value === 'boolean' ? formatBoolean(value) : String(value);
    },
  };
};

type Problem = { pointer?: string | undefined; detail: string };

/** Places errors of the config at its fields. Returns the rest under the names of the form. */
export const placeConfigErrors = (
  form: PipelineFormState,
  fields: readonly SchemaField[],
  problems: readonly Problem[],
): Problem[] => {
  // The config's fields need only this part of the form.
  const { setError } = form as unknown as UseFormReturn<{ config: FieldInputs }>;
  return placeSchemaErrors(setError, '/config', fields, problems).map(({ pointer = '', detail }) => ({
    pointer: pointerInForm(pointer),
    detail,
  }));
};
