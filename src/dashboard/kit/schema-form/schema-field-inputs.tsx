import { useState } from 'react';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { NumberInput, TextArea, TextInput } from '../../ui/controls/text-input.tsx';
import { quietUntilEdited } from '../forms/use-zod-form.ts';
import { problemsWithin } from './place-schema-errors.ts';
import { RowsInput } from './rows-input.tsx';
import { choiceLabel, valueText, type FieldInputs, type SchemaField } from './schema-field.ts';
import { rowsOfText } from './schema-rows.ts';

/** The part of a form with these fields. */
type Part = { config: FieldInputs };
type Form = UseFormReturn<Part, unknown, Part>;
type Props<In extends Part> = {
  fields: readonly SchemaField[];
  form: UseFormReturn<In, unknown, In>;
  /** The path of the fields at the service: `/config`. */
  pointer: string;
};

/** The fields of a type, as its schema describes them: `config` of the form. */
export const SchemaFieldInputs = <In extends Part>({ fields, form, pointer }: Props<In>) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  // These fields need only this part of the form.
  const part = form as unknown as Form;
  const errors = part.formState.errors.config;
  return fields.map((field) => (
    <div
      key={field.name}
      data-pointer={`${pointer}/${field.name}`}
      className={field.kind === 'rows' ? 'min-w-0 md:col-span-2' : undefined}
    >
      {field.kind === 'rows' ? (
        <RowsField
          field={field}
          form={part}
          pointer={`${pointer}/${field.name}`}
          problems={problemsWithin(errors?.[field.name])}
        />
      ) : (
        <FieldInput field={field} form={part} error={errors?.[field.name]?.message} />
      )}
    </div>
  ));
};

type RowsFieldProps = {
  field: SchemaField;
  form: Form;
  pointer: string;
  problems: ReadonlyMap<string, string>;
};

/** Rows, or their JSON where rows cannot show it. */
const RowsField = ({ field, form, pointer, problems }: RowsFieldProps) => {
  'use no memo';
  const path = `config.${field.name}` as const;
  const [isText] = useState(() => rowsOfText(field, String(form.getValues(path) ?? '')) === undefined);
  if (isText) return <FieldInput field={field} form={form} error={[...problems.values()][0]} />;
  return (
    <Controller
      control={form.control}
      name={path}
      render={({ field: { ref, value, onChange, onBlur } }) => (
        <RowsInput
          ref={ref}
          field={field}
          pointer={pointer}
          value={typeof value === 'string' ? value : ''}
          onChange={onChange}
          onBlur={onBlur}
          problems={problems}
        />
      )}
    />
  );
};

const FieldInput = ({
  field,
  form,
  error,
}: {
  field: SchemaField;
  form: Form;
  error: string | undefined;
}) => {
  'use no memo';
  const { label, help, kind, isRequired } = field;
  const path = `config.${field.name}` as const;
  const placeholder = field.default === undefined ? field.example : valueText(field.default);
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
                value: valueText(choice),
                label: choiceLabel(choice),
                ...(choice === field.default && { detail: 'Default' }),
              }))}
              value={typeof value === 'string' && value !== '' ? value : valueText(field.default ?? '')}
              onChange={onChange}
              onBlur={onBlur}
            />
          )}
        />
      </Field>
    );
  }
  return (
    <Field
      label={label}
      help={kind === 'lines' ? `${help ?? ''} One per line.`.trim() : help}
      error={error}
      optional={!isRequired}
    >
      {kind === 'json' || kind === 'lines' || kind === 'rows' ? (
        <TextArea
          {...quietUntilEdited(form.register(path))}
          placeholder={placeholder}
          className="font-mono text-sm"
        />
      ) : kind === 'number' ? (
        <NumberInput {...quietUntilEdited(form.register(path))} placeholder={placeholder} />
      ) : (
        <TextInput
          {...quietUntilEdited(form.register(path))}
          placeholder={placeholder}
          {...(kind === 'secret' && { type: 'password', autoComplete: 'new-password' })}
          className="font-mono text-sm"
        />
      )}
    </Field>
  );
};
