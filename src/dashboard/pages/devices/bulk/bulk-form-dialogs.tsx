import { useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { TAG_FILTERS } from '#contract/device-filter.ts';
import { deviceChangeSchema } from '#contract/devices.ts';
import { pairsOf, TagEditor, tagsOf } from '../../../resources/devices/tag-editor.tsx';
import { FacetInput } from '../../../resources/devices/facet-input.tsx';
import { tagProblems } from '../../../resources/devices/tag-problems.ts';
import { paths, withQuery } from '../../../paths.ts';
import { Field } from '../../../ui/controls/field.tsx';
import { NumberInput, readNumber } from '../../../ui/controls/text-input.tsx';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import type { DialogState } from '../../../ui/overlays/dialog.tsx';
import type { BulkChange } from '../../../resources/devices/bulk/bulk-change.ts';
import type { BulkJob } from '../../../resources/devices/bulk/bulk-run.ts';

type FormProps = {
  /** “1,900 devices” */
  devices: string;
  state: DialogState;
  onStart: (job: BulkJob) => void;
};

type FieldChange = Extract<BulkChange, { operation: 'update' }>['change'];

/** A change of fields, and the words for it. */
type FieldJob = Omit<BulkJob, 'change'> & { change: FieldChange };

const jobOf = ({ change, ...words }: FieldJob): BulkJob => ({
  ...words,
  change: { operation: 'update', change },
});

export const AddTagsDialog = ({ devices, state, onStart }: FormProps) => {
  const [pairs, setPairs] = useState(() => pairsOf({ '': '' }));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const first = useRef<HTMLInputElement | null>(null);
  const navigate = useNavigate();
  const start = () => {
    const tags = tagsOf(pairs);
    const found = Object.keys(tags).length === 0 ? { '': 'Enter a key.' } : tagProblems(tags);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    const tag = Object.entries(tags)
      .slice(0, TAG_FILTERS)
      .map(([key, value]) => `${key}:${value}`);
    onStart(
      jobOf({
        change: { tags },
        doing: 'Adding tags',
        done: 'Added tags to',
        // The list shows only the tags that have room.
        next: {
          label: 'Show devices',
          onSelect: () => void navigate(withQuery(paths.devices, { tag })),
        },
      }),
    );
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

type TextFormProps = Pick<FormProps, 'state' | 'onStart'> & {
  words: { title: string; description: string; submit: string; label: string };
  /** The property whose values are suggested; left out: the text is a number. */
  suggests?: 'tag' | 'type';
  /** An empty text is a change, too. */
  optional?: boolean;
  /** The unit of a number. */
  suffix?: string;
  jobFor: (text: string) => FieldJob;
};

/** A dialog with one field. */
const TextFormDialog = ({
  state,
  words,
  suggests,
  optional = false,
  suffix,
  jobFor,
  onStart,
}: TextFormProps) => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const control = {
    ref: field,
    value: text,
    onChange: (typed: string) => {
      setText(typed);
      setProblem(undefined);
    },
  };
  const start = () => {
    const job = jobFor(text.trim());
    const found =
      text.trim() === '' && !optional ? `Enter a ${words.label.toLowerCase()}.` : problemOf(job.change);
    setProblem(found);
    if (found === undefined) onStart(jobOf(job));
    else field.current?.focus();
  };
  return (
    <FormDialog
      state={state}
      title={words.title}
      description={words.description}
      submit={{ label: words.submit, isBusy: false }}
      initialFocus={field}
      onSubmit={start}
    >
      <Field label={words.label} optional={optional} error={problem}>
        {suggests === undefined ? (
          <NumberInput
            {...control}
            {...(suffix !== undefined && { suffix })}
            onChange={(event) => control.onChange(event.target.value)}
          />
        ) : (
          <FacetInput {...control} by={suggests} />
        )}
      </Field>
    </FormDialog>
  );
};

/** The first problem of a change. */
const problemOf = (change: FieldChange): string | undefined => {
  const [issue] = deviceChangeSchema.safeParse(change).error?.issues ?? [];
  return issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
};

export const RemoveTagDialog = ({ devices, state, onStart }: FormProps) => (
  <TextFormDialog
    state={state}
    words={{
      title: `Remove a tag from ${devices}`,
      description: 'Devices without the tag do not change.',
      submit: 'Remove tag',
      label: 'Key',
    }}
    suggests="tag"
    jobFor={(key) => ({
      change: { tags: { [key]: null } },
      doing: `Removing ${key}`,
      done: `Removed ${key} from`,
    })}
    onStart={onStart}
  />
);

export const ChangeTypeDialog = ({ devices, state, onStart }: FormProps) => (
  <TextFormDialog
    state={state}
    words={{
      title: `Change the type of ${devices}`,
      description: 'Leave empty to remove the type.',
      submit: 'Change type',
      label: 'Type',
    }}
    optional
    suggests="type"
    jobFor={(type) => ({ change: { type }, doing: 'Changing the type', done: 'Changed the type of' })}
    onStart={onStart}
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
    jobFor={(text) => ({
      change: { expectedInterval: readNumber.setValueAs(text) as number | null },
      doing: 'Changing the interval',
      done: 'Changed the interval of',
    })}
    onStart={onStart}
  />
);
