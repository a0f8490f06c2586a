import { Pencil, Trash2 } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import {
  MAX_QUERY_LENGTH,
  MAX_SAVED,
  nameProblem,
  queryOf,
  savedFilters,
  type SavedFilter,
} from './saved-filters-store.ts';

const restore = (filter: SavedFilter) => {
  if (nameProblem(filter.name) === undefined) savedFilters.set([...savedFilters.get(), filter]);
  else showToast({ title: `${filter.name} was not restored: another filter has this name`, tone: 'bad' });
};

/** The filters that this browser has saved: apply, rename, delete, and save the current one. */
export const SavedFilters = ({ onApplied }: { onApplied: () => void }) => {
  const [params, setParams] = useQueryParams();
  const saved = useStoredChoice(savedFilters);
  // Once the rename is done, the button that started it returns, and takes the focus.
  const [renamed, setRenamed] = useState<{ name: string; isDone: boolean } | null>(null);
  const panel = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const current = queryOf(params);

  const apply = ({ query }: SavedFilter) => {
    setParams(() => new URLSearchParams(query));
    onApplied();
  };
  const rename = (filter: SavedFilter, name: string) => {
    savedFilters.set(saved.map((each) => (each === filter ? { ...filter, name } : each)));
    setRenamed({ name, isDone: true });
  };
  const remove = (filter: SavedFilter) => {
    (field.current ?? panel.current)?.focus();
    setRenamed(null);
    savedFilters.set(saved.filter((each) => each !== filter));
    showToast({
      title: `Deleted ${filter.name}`,
      action: { label: 'Undo', onSelect: () => restore(filter) },
    });
  };
  const save = (name: string) => {
    // The field disappears with the last free place.
    if (saved.length + 1 >= MAX_SAVED) panel.current?.focus();
    savedFilters.set([...saved, { name, query: current }]);
  };

  return (
    <div ref={panel} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {saved.length > 0 && (
        <ul aria-label="Saved filters" className="flex max-h-72 flex-col overflow-y-auto">
          {saved.map((filter) => (
            <li key={filter.name} className="flex items-center gap-1">
              {renamed?.name === filter.name && !renamed.isDone ? (
                <NameForm
                  label={`New name of ${filter.name}`}
                  initial={filter.name}
                  submit="Rename"
                  own={filter.name}
                  onSubmit={(name) => rename(filter, name)}
                  onCancel={() => setRenamed({ name: filter.name, isDone: true })}
                />
              ) : (
                <>
                  <Button
                    variant="quiet"
                    className="min-w-0 flex-1 justify-start px-2"
                    aria-current={filter.query === current || undefined}
                    onClick={() => apply(filter)}
                  >
                    <span className="truncate">{filter.name}</span>
                    {filter.query === current && (
                      <span className="text-sm font-normal text-muted">current</span>
                    )}
                  </Button>
                  <IconButton
                    label={`Rename ${filter.name}`}
                    icon={<Pencil aria-hidden />}
                    // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button replaces the field that had the focus
                    autoFocus={renamed?.name === filter.name}
                    onClick={() => setRenamed({ name: filter.name, isDone: false })}
                  />
                  <IconButton
                    label={`Delete ${filter.name}`}
                    icon={<Trash2 aria-hidden />}
                    onClick={() => remove(filter)}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {current === '' ? (
        <p className="text-muted">Filter or sort the devices first. Then you can save the filter here.</p>
      ) : saved.length >= MAX_SAVED ? (
        <p className="text-muted">At most {MAX_SAVED} filters. Delete one to save another.</p>
      ) : current.length > MAX_QUERY_LENGTH ? (
        <p className="text-muted">This filter is too long to save. Remove some tags.</p>
      ) : (
        <NameForm
          label="Name of the current filter"
          initial=""
          submit="Save"
          inputRef={field}
          onSubmit={save}
        />
      )}
      <p className="text-sm text-muted">Saved in this browser only, with the sort order and the grouping.</p>
    </div>
  );
};

type NameFormProps = {
  label: string;
  initial: string;
  submit: string;
  /** The name of the renamed filter, which stays allowed. */
  own?: string;
  inputRef?: RefObject<HTMLInputElement | null>;
  onSubmit: (name: string) => void;
  onCancel?: () => void;
};

const NameForm = ({ label, initial, submit, own, inputRef, onSubmit, onCancel }: NameFormProps) => {
  const [name, setName] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || onCancel === undefined) return;
    // Otherwise the panel closes.
    event.stopPropagation();
    onCancel();
  };
  return (
    <form
      noValidate
      className="w-full"
      onSubmit={(event) => {
        event.preventDefault();
        const found = nameProblem(name.trim(), own);
        setProblem(found);
        if (found !== undefined) return;
        onSubmit(name.trim());
        setName(initial);
      }}
    >
      <Field label={label} error={problem}>
        <div className="flex gap-2">
          <TextInput
            ref={inputRef}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setProblem(undefined);
            }}
            onKeyDown={cancelOnEscape}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the field replaces the button that had the focus
            autoFocus={onCancel !== undefined}
          />
          <Button type="submit">{submit}</Button>
        </div>
      </Field>
    </form>
  );
};
