import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useEffectEvent, useState } from 'react';
import {
  useForm,
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type Resolver,
  type UseFormRegisterReturn,
  type UseFormReturn,
} from 'react-hook-form';
import type * as z from 'zod';
import { pathOfPointer } from '#contract/json-pointer.ts';
import { saveDraft, readDraft } from '../../ui/browser/draft.ts';
import { pointerRelease, watchPointer } from '../../ui/browser/pointer-release.ts';

type Options<In extends FieldValues> = {
  values: In;
  /** The key of the draft, which keeps edits through a reload, a navigation or an ended session in this tab. */
  draft?: string;
  /** What `values` were made from. Stored with the draft, so that the draft is merged into this version. */
  base?: unknown;
  /** The values that a draft may store, for forms with secrets. `from` is what the form was filled from. */
  draftable?: (typed: In, from: In) => In;
};

/** `zodResolver` declares its own zod type for the same schema. */
const resolverOf = <In extends FieldValues, Out>(schema: z.ZodType<Out, In>) =>
  zodResolver(schema as never) as unknown as Resolver<In, unknown, Out>;

/** The fields that were changed. */
export const changedOf = <In extends FieldValues>(values: In, typed: In): Partial<In> =>
  Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(values[name])),
  ) as Partial<In>;

/**
 * A form with a schema of the contract: validated when a field loses the focus and on submit, then on each change. A
 * draft is filled in as changes, so that the form is dirty.
 */
export const useZodForm = <In extends FieldValues, Out>(
  schema: z.ZodType<Out, In>,
  { values, draft, base, draftable = (typed) => typed }: Options<In>,
): { form: UseFormReturn<In, unknown, Out>; initial: In; hasDraft: boolean } => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const [kept] = useState(() => readDraft<In, unknown>(draft)?.typed ?? null);
  const form = useForm<In, unknown, Out>({
    resolver: async (typed, ...rest) => {
      const result = await resolverOf<In, Out>(schema)(typed, ...rest);
      // An error that appears when a field loses the focus would move the control that is being clicked.
      await pointerRelease();
      return result;
    },
    defaultValues: values as DefaultValues<In>,
    mode: 'onTouched',
    shouldFocusError: true,
  });
  const { subscribe, setValue } = form;
  useEffect(watchPointer, []);

  useEffect(() => {
    for (const [name, value] of Object.entries(kept ?? {})) {
      setValue(name as FieldPath<In>, value as never, { shouldDirty: true });
    }
  }, [kept, setValue]);

  const keep = useEffectEvent((typed: In) => {
    if (draft !== undefined) saveDraft(draft, { typed: changedOf(values, draftable(typed, values)), base });
  });
  useEffect(() => {
    if (draft === undefined) return undefined;
    return subscribe({
      formState: { values: true, isDirty: true },
      callback: ({ values: typed, isDirty }) => {
        if (isDirty === true) keep(typed);
      },
    });
  }, [draft, subscribe]);

  return { form, initial: { ...values, ...kept }, hasDraft: kept !== null };
};

const edited = new WeakSet<HTMLInputElement>();

/**
 * A registered field that reports an empty value on blur only after it was edited. Otherwise an error would appear before
 * the user has typed, and move the button under the pointer.
 */
export const quietUntilEdited = <R extends UseFormRegisterReturn>(field: R): R => ({
  ...field,
  onChange: async (event: Parameters<R['onChange']>[0]) => {
    edited.add(event.target as HTMLInputElement);
    return field.onChange(event);
  },
  onBlur: async (event: Parameters<R['onBlur']>[0]) => {
    const input = event.target as HTMLInputElement;
    return input.value === '' && !edited.has(input) ? undefined : field.onBlur(event);
  },
});

type UnplacedProblem = { pointer?: string | undefined; detail: string };

/**
 * Places the service's field errors by their pointers. Returns the details that match no field. `/tags/site` lands on
 * the field `tags` if there is no `tags.site`.
 */
export const placeFieldErrors = <In extends FieldValues>(
  form: Pick<UseFormReturn<In, unknown, unknown>, 'setError' | 'getValues'>,
  problems: readonly UnplacedProblem[],
): string[] => {
  const rest: string[] = [];
  let isFirst = true;
  for (const { pointer = '', detail } of problems) {
    const [name] = pathOfPointer(pointer);
    if (name === undefined || !Object.hasOwn(form.getValues(), name)) {
      rest.push(detail);
      continue;
    }
    form.setError(name as FieldPath<In>, { type: 'server', message: detail }, { shouldFocus: isFirst });
    isFirst = false;
  }
  return rest;
};
