import type { ClipboardEvent } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { NumberInput, TextInput } from '../../ui/controls/text-input.tsx';
import { choiceLabel, valueText, type SchemaField } from './schema-field.ts';

type Props = {
  column: SchemaField;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
  onPaste: (event: ClipboardEvent) => void;
  /** Enter in a cell that is not empty. */
  onEnter: () => void;
};

/** The field of a row in a column. */
export const RowCell = ({ column, value, problem, onChange, onPaste, onEnter }: Props) => {
  const { label, kind, isRequired, choices } = column;
  const isOptional = !isRequired && column.default === undefined;
  if (kind === 'choice')
    return (
      <Field label={label} error={problem}>
        <Select
          options={[
            ...(isOptional ? [{ value: '', label: 'Default', detail: column.help }] : []),
            ...choices.map((choice) => ({ value: valueText(choice), label: choiceLabel(choice) })),
          ]}
          value={value === '' ? valueText(column.default ?? '') : value}
          // Of an opened list, which treats an empty value as none.
          {...(isOptional && { placeholder: 'Default' })}
          onChange={onChange}
        />
      </Field>
    );
  const Input = kind === 'number' ? NumberInput : TextInput;
  return (
    <Field label={label} error={problem}>
      <Input
        value={value}
        placeholder={column.default === undefined ? column.example : valueText(column.default)}
        onChange={(event) => onChange(event.target.value)}
        onPaste={onPaste}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || value === '') return;
          event.preventDefault();
          onEnter();
        }}
        className="font-mono text-sm"
      />
    </Field>
  );
};
