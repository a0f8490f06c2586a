import { describeFailedChange } from '../../api/describe-failed-change.ts';
import {
  useState,
  type ReactNode,
  type RefObject,
  type SubmitEvent,
  useEffect,
  type RefCallback,
} from 'react';
import type { FieldValues, UseFormRegisterReturn } from 'react-hook-form';
import type { FieldProblem } from '#contract/problem.ts';
import { hasCode } from '../../api/api-error.ts';
import type { EditedForm } from '../forms/use-edited-form.ts';
import { quietUntilEdited } from '../forms/use-zod-form.ts';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import type { FormSlot } from './form-drawer.tsx';

/**
 * Submits a form in a drawer and shows the drawer as busy. `placeErrors` places field errors and returns the details
 * that match no field. These and all other errors are shown above the fields.
 */
export const useDrawerSubmit = (
  { onBusy }: FormSlot,
  placeErrors: (errors: readonly FieldProblem[]) => readonly string[],
) => {
  const [problem, setProblem] = useState<string | null>(null);
  const [forbidden, setForbidden] = useState<FieldProblem['allow']>();
  const submit = (work: () => Promise<void>): Promise<void> => {
    setProblem(null);
    setForbidden(undefined);
    onBusy(true);
    return work()
      .catch((error: unknown) => {
        const errors = hasCode(error, 'validation-failed', 'conflict', 'destination-forbidden')
          ? error.fields
          : [];
        setForbidden(errors.find(({ allow }) => allow !== undefined)?.allow);
        const unplaced = placeErrors(errors);
        setProblem(errors.length === 0 ? describeFailedChange(error) : unplaced.join(' ') || null);
      })
      .finally(() => onBusy(false));
  };
  return {
    submit,
    clear: () => setProblem(null),
    /** The address that the service does not connect to until it is allowed. */
    forbidden,
    clearForbidden: () => setForbidden(undefined),
    notice: problem !== null && <FormNotice tone="bad">{problem}</FormNotice>,
  };
};

type SaveItem<Item, Change, Created> = {
  create: () => Promise<Created>;
  /** The fields that differ from the item. */
  changesOf: (item: Item) => Change;
  change: (request: { id: string; change: Change; ifMatch: string | undefined }) => Promise<unknown>;
};

/** Creates the item of a form, or saves its changes. `created` is undefined for an item that was edited. */
export const saveItem = async <Item extends { id: string }, Change extends object, Created>(
  save: (
    work: (base: { item?: Item | undefined; etag?: string | undefined }) => Promise<void>,
  ) => ReturnType<EditedForm<FieldValues>['save']>,
  { create, changesOf, change }: SaveItem<Item, Change, Created>,
): Promise<{ created: Created | undefined; isSaved: boolean }> => {
  let created: Created | undefined;
  const isSaved = await save(async ({ item, etag }) => {
    if (item === undefined) {
      created = await create();
      return;
    }
    const changes = changesOf(item);
    if (Object.keys(changes).length > 0) await change({ id: item.id, change: changes, ifMatch: etag });
  });
  return { created, isSaved };
};

type DrawerFormProps = {
  slot: FormSlot;
  /** What `form.handleSubmit` returns. */
  onSubmit: (event: SubmitEvent) => Promise<void>;
  ref?: RefObject<HTMLFormElement | null>;
  children: ReactNode;
};

/** The form element in a drawer; the button that submits it is in the drawer's footer. */
export const DrawerForm = ({ slot, onSubmit, ref, children }: DrawerFormProps) => (
  <form
    id={slot.id}
    ref={ref}
    noValidate
    onSubmit={(event) => void onSubmit(event)}
    className="flex flex-col gap-6"
  >
    {children}
  </form>
);

type NameFieldProps = {
  slot: FormSlot;
  /** What `form.register('name')` returns. */
  field: UseFormRegisterReturn;
  error: string | undefined;
  help?: string;
  maxLength?: number;
};

/** The name of an item: the first field of its form, focused when the form appears. */
export const NameField = ({ slot: { firstField }, field, error, help, maxLength }: NameFieldProps) => {
  useLateFocus(firstField);
  return (
    <Field label="Name" error={error} {...(help !== undefined && { help })}>
      <TextInput {...quietUntilEdited(field)} ref={mergeRefs(field.ref, firstField)} maxLength={maxLength} />
    </Field>
  );
};

/**
 * Focuses a field that appears in a dialog which is open already, once its data has loaded. (A field that is there when
 * the dialog opens is focused by `initialFocus`.)
 */
export const useLateFocus = (field: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const dialog = field.current?.closest('[role="dialog"]');
    const focus = () => field.current?.focus();
    if (dialog?.contains(document.activeElement) === true) {
      focus();
      return undefined;
    }
    // It is still opening, and focuses next what it chose before the field appeared: unless users choose a field first.
    const opening = new AbortController();
    const end = () => opening.abort();
    for (const input of ['pointerdown', 'keydown'])
      dialog?.addEventListener(input, end, { signal: opening.signal });
    dialog?.addEventListener(
      'focusin',
      () => {
        end();
        focus();
      },
      { signal: opening.signal },
    );
    return end;
  }, [field]);
};

/** One ref for the two that need the same element: the form's and the drawer's. */
export const mergeRefs =
  (
    register: RefCallback<HTMLInputElement>,
    field: RefObject<HTMLInputElement | null>,
  ): RefCallback<HTMLInputElement> =>
  (element) => {
    register(element);
    field.current = element;
  };
