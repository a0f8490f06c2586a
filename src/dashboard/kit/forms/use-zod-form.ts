import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useEffectEvent, useState } from 'react';
import {
  useForm,
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type UseFormReturn,
} from 'react-hook-form';
import type * as z from 'zod';
import { saveDraft, readDraft } from '../../ui/browser/draft.ts';

type Options<In extends FieldValues> = {
  values: In;
  /** Keeps what was typed through a reload, a navigation or an ended session, under this name, in this tab. */
  draft?: string;
  /** What `values` were made from: kept with the draft, which is laid over this and not over what others made of it. */
  base?: unknown;
  /** What of the values a draft may hold, where not all; `from` is what the form was filled from. */
  draftable?: (typed: In, from: In) => In;
};

/** The fields that were changed. */
export const changedOf = <In extends FieldValues>(values: In, typed: In): Partial<In> =>
  Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(values[name])),
  ) as Partial<In>;

/**
 * A form over a schema of the contract: checked when a field is left and on submit, then as one types.
 * The draft, if there is one, is filled in as changes, so that the form knows that it is not saved.
 */
export const useZodForm = <In extends FieldValues, Out>(
  schema: z.ZodType<Out, In>,
  { values, draft, base, draftable = (typed) => typed }: Options<In>,
): { form: UseFormReturn<In, unknown, Out>; initial: In; hasDraft: boolean } => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
  'use no memo';
  const [kept] = useState(() => readDraft<In, unknown>(draft)?.typed ?? null);
  const form = useForm<In, unknown, Out>({
    // The resolver wants its own spelling of a zod type; it is the same schema.
    resolver: zodResolver(schema as never) as never,
    defaultValues: values as DefaultValues<In>,
    mode: 'onTouched',
    shouldFocusError: true,
  });
  const { subscribe, setValue } = form;

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

type FieldFault = { pointer?: string | undefined; detail: string };

/**
 * Places what the service says about fields by their pointers; answers what fits no field.
 * `/tags/site` lands on the field `tags` where there is no `tags.site`.
 */
export const placeFieldErrors = <In extends FieldValues>(
  form: Pick<UseFormReturn<In, unknown, unknown>, 'setError' | 'getValues'>,
  faults: readonly FieldFault[],
): string[] => {
  const rest: string[] = [];
  let isFirst = true;
  for (const { pointer = '', detail } of faults) {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const name = path[0];
    if (name === undefined || !Object.hasOwn(form.getValues(), name)) {
      rest.push(detail);
      continue;
    }
    form.setError(name as FieldPath<In>, { type: 'server', message: detail }, { shouldFocus: isFirst });
    isFirst = false;
  }
  return rest;
};
