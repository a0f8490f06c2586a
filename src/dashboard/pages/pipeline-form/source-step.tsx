import { useState, type ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import type { PipelineType } from '#contract/pipelines.ts';
import { quietUntilEdited } from '../../kit/forms/use-zod-form.ts';
import { SchemaFieldInputs } from '../../kit/schema-form/schema-field-inputs.tsx';
import { valuesOf, type SchemaField } from '../../kit/schema-form/schema-field.ts';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { isReadingField } from './form-steps.ts';
import { IntervalField } from './interval-field.tsx';
import type { PipelineFormState } from './pipeline-form-values.ts';
import { TypeField } from './type-field.tsx';

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
  fields: readonly SchemaField[];
  /** Below the connection. */
  children: ReactNode;
};

/** Where messages come from: name, type, interval of a polled source, and connection. */
export const SourceStep = ({ form, types, fields, children }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { control, register, formState } = form;
  const type = useWatch({ control, name: 'type' });
  const kind = types.find((each) => each.type === type)?.kind;
  const connection = fields.filter((field) => !isReadingField(field));
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-4 xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <div data-pointer="/name">
            <Field label="Name" error={formState.errors.name?.message}>
              <TextInput {...quietUntilEdited(register('name'))} maxLength={100} />
            </Field>
          </div>
          {kind !== 'pushed' && <IntervalField form={form} kind={kind} />}
        </div>
        <div data-pointer="/type">
          <TypeField form={form} types={types} />
        </div>
      </div>
      {connection.length > 0 && (
        <div className="flex min-w-0 flex-col gap-4">
          <ConnectionFields key={type} form={form} fields={connection} />
          {children}
        </div>
      )}
    </div>
  );
};

/** Optional fields after the required ones are folded, so that the step fits a screen. */
const MIN_SHOWN = 2;

const ConnectionFields = ({ form, fields }: Pick<Props, 'form' | 'fields'>) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const shownCount = Math.max(MIN_SHOWN, fields.findLastIndex(({ isRequired }) => isRequired) + 1);
  const [shown, folded] = [fields.slice(0, shownCount), fields.slice(shownCount)];
  const [isOpen, setIsOpen] = useState(
    () => Object.keys(valuesOf(folded, form.getValues('config'))).length > 0,
  );
  const { config } = form.formState.errors;
  const hasErrors = folded.some(({ name }) => config?.[name] !== undefined);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        <SchemaFieldInputs form={form} pointer="/config" fields={shown} />
      </div>
      {folded.length > 0 && (
        <details open={isOpen || hasErrors} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary className="w-fit cursor-pointer rounded-sm py-1 font-medium hover:text-muted">
            More options
          </summary>
          <div className="mt-3 grid grid-cols-1 gap-4 md:grid-cols-2">
            <SchemaFieldInputs form={form} pointer="/config" fields={folded} />
          </div>
        </details>
      )}
    </div>
  );
};
