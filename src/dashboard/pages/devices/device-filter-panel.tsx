import { useId, useState, type ReactNode } from 'react';
import type { Device } from '#contract/devices.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';

type Name = 'type' | 'tag';
type Props = { rows: readonly Device[]; toggles?: ReactNode; onAdd: (name: Name, value: string) => void };

const unique = (values: readonly string[]) => [...new Set(values)].filter((value) => value !== '').toSorted();

/** Adds a filter by type or tag; suggests those of the loaded rows. */
export const DeviceFilterPanel = ({ rows, toggles, onAdd }: Props) => (
  <div className="flex flex-col gap-4">
    {toggles}
    <AddFilter
      label="Type"
      placeholder="sensor"
      suggestions={unique(rows.map(({ type }) => type))}
      onAdd={(value) => onAdd('type', value)}
    />
    <AddFilter
      label="Tag"
      placeholder="site:north"
      suggestions={unique(rows.flatMap(({ tags }) => Object.entries(tags).map((pair) => pair.join(':'))))}
      check={(text) => (/^[A-Za-z0-9._-]{1,64}:./.test(text) ? undefined : 'Use the form key:value.')}
      onAdd={(value) => onAdd('tag', value)}
    />
  </div>
);

type AddProps = {
  label: string;
  placeholder: string;
  suggestions: readonly string[];
  check?: (text: string) => string | undefined;
  onAdd: (value: string) => void;
};

const AddFilter = ({ label, placeholder, suggestions, check, onAdd }: AddProps) => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const id = useId();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const value = text.trim();
        const found = value === '' ? 'Enter or choose a value.' : check?.(value);
        setProblem(found);
        if (found === undefined) onAdd(value);
      }}
    >
      <Field label={label} error={problem}>
        <div className="flex gap-2">
          <TextInput
            list={id}
            placeholder={placeholder}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setProblem(undefined);
            }}
          />
          <Button type="submit" aria-label={`Add filter: ${label.toLowerCase()}`}>
            Add
          </Button>
        </div>
      </Field>
      <datalist id={id}>
        {suggestions.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </datalist>
    </form>
  );
};
