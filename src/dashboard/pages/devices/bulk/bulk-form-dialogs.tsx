import { useId, useRef, useState, type ChangeEvent } from 'react';
import { deviceChangeSchema, type Device } from '#contract/devices.ts';
import { pairsOf, TagEditor, tagsOf } from '../../../kit/forms/tag-editor.tsx';
import { tagProblems } from '../../../resources/devices/tag-problems.ts';
import { Field } from '../../../ui/controls/field.tsx';
import { NumberInput, readNumber, TextInput } from '../../../ui/controls/text-input.tsx';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import type { DialogState } from '../../../ui/overlays/dialog.tsx';
import type { BulkChange } from './bulk-change.ts';
import type { BulkJob } from './bulk-run.ts';

type FormProps = {
  /** “1,900 devices” */
  devices: string;
  /** The loaded devices, whose types and tags are suggested. */
  rows: readonly Device[];
  state: DialogState;
  onStart: (job: BulkJob) => void;
};

type FieldChange = Extract<BulkChange, { operation: 'update' }>['change'];

const jobOf = (change: FieldChange, doing: string, done: string): BulkJob => ({
  change: { operation: 'update', change },
  doing,
  done,
});

export const AddTagsDialog = ({ devices, state, onStart }: FormProps) => {
  const [pairs, setPairs] = useState(() => pairsOf({ '': '' }));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const first = useRef<HTMLInputElement | null>(null);
  const start = () => {
    const tags = tagsOf(pairs);
    const found = Object.keys(tags).length === 0 ? { '': 'Enter a key.' } : tagProblems(tags);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    onStart(jobOf({ tags }, 'Adding tags', 'Added tags to'));
  };
  return (
    <FormDialog
      state={state}
      title={`Add tags to ${devices}`}
      description="A tag that a device already has gets the new value."
      submit={{ label: 'Add tags', isBusy: false }}
      initialFocus={first}
      onSubmit={start}
    >
      <div
        ref={(element) => {
          first.current = element?.querySelector('input') ?? null;
        }}
      >
        <TagEditor
          label="Tags"
          isRequired
          pairs={pairs}
          onChange={(next) => {
            setPairs(next);
            setProblems({});
          }}
          errors={problems}
        />
      </div>
    </FormDialog>
  );
};

type TextFormProps = Pick<FormProps, 'state'> & {
  words: { title: string; description: string; submit: string; label: string };
  suggestions?: readonly string[];
  /** An empty text is a change, too. */
  optional?: boolean;
  /** The unit of a number. */
  suffix?: string;
  /** Starts the change, or returns the problem of the text. */
  onSubmit: (text: string) => string | undefined;
};

/** A dialog with one field. */
const TextFormDialog = ({
  state,
  words,
  suggestions = [],
  optional = false,
  suffix,
  onSubmit,
}: TextFormProps) => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const control = {
    ref: field,
    ...(suggestions.length > 0 && { list: listId }),
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      setText(event.target.value);
      setProblem(undefined);
    },
  };
  return (
    <FormDialog
      state={state}
      title={words.title}
      description={words.description}
      submit={{ label: words.submit, isBusy: false }}
      initialFocus={field}
      onSubmit={() => {
        setProblem(onSubmit(text.trim()));
        field.current?.focus();
      }}
    >
      <Field label={words.label} optional={optional} error={problem}>
        {suffix === undefined ? <TextInput {...control} /> : <NumberInput suffix={suffix} {...control} />}
      </Field>
      <datalist id={listId}>
        {suggestions.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </datalist>
    </FormDialog>
  );
};

const sorted = (values: readonly string[]) => [...new Set(values)].filter((value) => value !== '').toSorted();

/** The first problem of a change. */
const problemOf = (change: unknown): string | undefined => {
  const [issue] = deviceChangeSchema.safeParse(change).error?.issues ?? [];
  return issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
};

export const RemoveTagDialog = ({ devices, rows, state, onStart }: FormProps) => (
  <TextFormDialog
    state={state}
    words={{
      title: `Remove a tag from ${devices}`,
      description: 'Devices without the tag stay as they are.',
      submit: 'Remove tag',
      label: 'Key',
    }}
    suggestions={sorted(rows.flatMap(({ tags }) => Object.keys(tags)))}
    onSubmit={(key) => {
      if (key === '') return 'Enter a key.';
      const change = { tags: { [key]: null } };
      const problem = problemOf(change);
      if (problem !== undefined) return problem;
      onStart(jobOf(change, `Removing ${key}`, `Removed ${key} from`));
      return undefined;
    }}
  />
);

export const ChangeTypeDialog = ({ devices, rows, state, onStart }: FormProps) => (
  <TextFormDialog
    state={state}
    words={{
      title: `Change the type of ${devices}`,
      description: 'Leave empty to remove the type.',
      submit: 'Change type',
      label: 'Type',
    }}
    optional
    suggestions={sorted(rows.map(({ type }) => type))}
    onSubmit={(type) => {
      const change = { type };
      const problem = problemOf(change);
      if (problem !== undefined) return problem;
      onStart(jobOf(change, 'Changing the type', 'Changed the type of'));
      return undefined;
    }}
  />
);

export const ChangeIntervalDialog = ({ devices, state, onStart }: FormProps) => (
  <TextFormDialog
    state={state}
    words={{
      title: `Change the interval of ${devices}`,
      description: 'Leave empty to let Penstock learn the interval.',
      submit: 'Change interval',
      label: 'Expected interval',
    }}
    optional
    suffix="s"
    onSubmit={(text) => {
      const change = { expectedInterval: readNumber.setValueAs(text) as number | null };
      const problem = problemOf(change);
      if (problem !== undefined) return problem;
      onStart(jobOf(change, 'Changing the interval', 'Changed the interval of'));
      return undefined;
    }}
  />
);
