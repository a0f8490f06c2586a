import { useRef, useState } from 'react';
import { Controller, useWatch, type UseFormReturn } from 'react-hook-form';
import {
  destinationsApi,
  type Destination,
  type DestinationType,
  type SignedDestination,
} from '#contract/destinations.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { useChangeDestination, useCreateDestination } from './destination-queries.ts';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import type { FormSlot } from '../../kit/resource/form-drawer.tsx';
import { focusPointer, placeSchemaErrors } from '../../kit/schema-form/place-schema-errors.ts';
import { SchemaFieldInputs } from '../../kit/schema-form/schema-field-inputs.tsx';
import { inputOf, type FieldInputs } from '../../kit/schema-form/schema-field.ts';
import { isBuiltIn } from './destination-state.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { useLateFocus } from '../../ui/browser/late-focus.ts';
import { mergeRefs } from '../../ui/browser/merge-refs.ts';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { placeFieldErrors } from '../../kit/forms/use-zod-form.ts';
import {
  destinationFieldsOf,
  changeOf,
  destinationFormSchema,
  formValuesOf,
  newDestinationOf,
  optionFieldsOf,
  typeNamed,
  urlFieldOf,
  withoutSecrets,
  type DestinationFormValues,
} from './destination-form-values.ts';

type Props = {
  slot: FormSlot;
  types: readonly DestinationType[];
  /** Left out: a new one. */
  destination: Destination | undefined;
  /** What came of the last try to read it. */
  failure: Error | null;
  onCreated: (destination: SignedDestination) => void;
  onSaved: () => void;
};

/** Where values go: what it is, where it is, and what its type takes. */
export const DestinationForm = (props: Props) => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
  'use no memo';
  const { slot, types, destination, failure, onCreated, onSaved } = props;
  const { id, firstField, onBusy } = slot;
  useLateFocus(firstField);
  const [schema] = useState(() => destinationFormSchema(types));
  const [fieldsOfForm] = useState(() => destinationFieldsOf(types));
  const edited = useEditedForm<Destination, DestinationFormValues>({
    schema,
    draft: `destination.${destination?.id ?? 'new'}`,
    item: destination,
    failure,
    kind: 'destination',
    valuesOf: (item) => formValuesOf(item, types),
    fields: fieldsOfForm,
    etagOf: (each) => etagOf(destinationsApi.change, { id: each }),
    read: (each) => callWithEtag(destinationsApi.get, { params: { id: each } }),
    keepable: (typed, from) => withoutSecrets(typed, from, types),
  });
  const { form, base } = edited;
  const { register, handleSubmit, control, formState, setValue, getValues } = form;
  const { errors } = formState;
  const [notice, setNotice] = useState<string | null>(null);
  const create = useCreateDestination();
  const change = useChangeDestination();
  const root = useRef<HTMLFormElement>(null);

  const chosen = useWatch({ control, name: 'type' });
  const type = typeNamed(types, chosen);
  const fields = optionFieldsOf(type);
  const urlField = urlFieldOf(type);
  const [name, url] = [register('name'), register('url')];

  const chooseType = (next: string) => {
    const nextFields = optionFieldsOf(typeNamed(types, next));
    const typed = getValues('config');
    const kept = nextFields.filter(({ name: each }) => typed[each] !== undefined && typed[each] !== '');
    setValue('type', next, { shouldDirty: true, shouldTouch: true, shouldValidate: formState.isSubmitted });
    setValue(
      'config',
      {
        ...inputOf(nextFields, {}),
        ...Object.fromEntries(kept.map(({ name: each }) => [each, typed[each]])),
      },
      { shouldDirty: true },
    );
  };

  const save = async (values: DestinationFormValues) => {
    setNotice(null);
    onBusy(true);
    let made: SignedDestination | undefined;
    try {
      const isSaved = await edited.save(async ({ item, etag }) => {
        if (item === undefined) {
          made = await create.mutateAsync(newDestinationOf(values, types));
          return;
        }
        const changes = changeOf(item, values, types);
        if (Object.keys(changes).length > 0)
          await change.mutateAsync({ id: item.id, change: changes, ifMatch: etag });
      });
      if (made !== undefined) onCreated(made);
      else if (isSaved) onSaved();
    } catch (error) {
      const faults = hasCode(error, 'validation-failed', 'conflict', 'destination-forbidden')
        ? error.fields
        : [];
      // The rest of the form is nothing to the options.
      const { setError } = form as unknown as UseFormReturn<{ config: FieldInputs }>;
      const rest = placeFieldErrors(form, placeSchemaErrors(setError, '/options', fields, faults));
      setNotice(faults.length === 0 ? describeError(error).detail : rest.join(' ') || null);
      const [first] = faults;
      if (root.current !== null && first?.pointer !== undefined) focusPointer(root.current, first.pointer);
    } finally {
      onBusy(false);
    }
  };

  return (
    <form
      id={id}
      ref={root}
      noValidate
      onSubmit={(event) => void handleSubmit(save)(event)}
      className="flex flex-col gap-6"
    >
      <EditNotices
        edited={edited}
        onRevive={{ label: 'Create again', act: async () => edited.startAnew() }}
      />
      {notice !== null && <FormNotice tone="bad">{notice}</FormNotice>}
      <div data-pointer="/name">
        <Field label="Name" error={errors.name?.message} help="For example “Plant database” or “Data lake”.">
          <TextInput
            {...name}
            ref={mergeRefs(name.ref, firstField)}
            maxLength={100}
            // An error that came as the pointer went down would move what it was about to click. Submit tells.
            onBlur={(event) => (event.target.value === '' ? undefined : void name.onBlur(event))}
          />
        </Field>
      </div>
      {base.item === undefined ? (
        <div data-pointer="/type">
          <Controller
            control={control}
            name="type"
            render={({ field: { value } }) => (
              <RadioCards
                label="Type"
                cards={types
                  .filter((each) => !isBuiltIn(each))
                  .map((each) => ({ value: each.type, label: each.label, detail: each.description }))}
                value={value}
                onChange={chooseType}
                error={errors.type?.message}
              />
            )}
          />
        </div>
      ) : (
        <div>
          <h3 className="mb-1 font-medium">Type</h3>
          <p>
            {type?.label ?? base.item.type}
            <span className="ml-2 text-sm text-muted">cannot be changed</span>
          </p>
        </div>
      )}
      {urlField !== undefined && (
        <div data-pointer="/url">
          <Field label={urlField.label} help={urlField.help} error={errors.url?.message}>
            <TextInput
              {...url}
              inputMode="url"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              placeholder={urlField.example}
              onBlur={(event) => (event.target.value === '' ? undefined : void url.onBlur(event))}
              className="font-mono text-sm"
            />
          </Field>
        </div>
      )}
      <SchemaFieldInputs fields={fields} form={form} pointer="/options" />
    </form>
  );
};
