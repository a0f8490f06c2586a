import { Controller, type UseFormReturn } from 'react-hook-form';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { NumberInput, TextArea, TextInput } from '../../ui/text-input.tsx';
import { wordOf, type ConfigField } from './config-field.ts';
import type { PipelineFormValues } from './pipeline-form-values.ts';

type Form = UseFormReturn<PipelineFormValues, unknown, PipelineFormValues>;
type Props = { fields: readonly ConfigField[]; form: Form };

const capitalised = (value: unknown): string => {
  const text = wordOf(value);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The fields of a type, as its schema describes them. */
export const ConfigFields = ({ fields, form }: Props) => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
  'use no memo';
  const errors = form.formState.errors.config;
  return fields.map((field) => (
    <div key={field.name} data-pointer={`/config/${field.name}`}>
      <OneField field={field} form={form} error={errors?.[field.name]?.message} />
    </div>
  ));
};

const OneField = ({ field, form, error }: { field: ConfigField; form: Form; error: string | undefined }) => {
  'use no memo';
  const { label, help, kind, isRequired } = field;
  const path = `config.${field.name}` as const;
  const placeholder = field.default === undefined ? field.example : wordOf(field.default);
  if (kind === 'flag') {
    return (
      <Controller
        control={form.control}
        name={path}
        render={({ field: { value, onChange, onBlur } }) => (
          <Checkbox
            label={label}
            help={error ?? help}
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
            onBlur={onBlur}
          />
        )}
      />
    );
  }
  if (kind === 'choice') {
    return (
      <Field label={label} help={help} error={error}>
        <Controller
          control={form.control}
          name={path}
          render={({ field: { value, onChange, onBlur } }) => (
            <Select
              options={field.choices.map((choice) => ({
                value: wordOf(choice),
                label: capitalised(choice),
                ...(choice === field.default && { detail: 'Default' }),
              }))}
              value={typeof value === 'string' && value !== '' ? value : wordOf(field.default ?? '')}
              onChange={onChange}
              onBlur={onBlur}
            />
          )}
        />
      </Field>
    );
  }
  return (
    <Field label={label} help={help} error={error} optional={!isRequired}>
      {kind === 'json' ? (
        <TextArea {...form.register(path)} placeholder={placeholder} className="font-mono text-sm" />
      ) : kind === 'number' ? (
        <NumberInput {...form.register(path)} placeholder={placeholder} />
      ) : (
        <TextInput
          {...form.register(path)}
          placeholder={placeholder}
          {...(kind === 'secret' && { type: 'password', autoComplete: 'new-password' })}
          className="font-mono"
        />
      )}
    </Field>
  );
};
