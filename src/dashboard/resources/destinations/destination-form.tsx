import { useRef, useState } from 'react';
import { Controller, useWatch, type UseFormReturn } from 'react-hook-form';
import {
  destinationsApi,
  type Destination,
  type DestinationType,
  type SignedDestination,
} from '#contract/destinations.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { useChangeDestination, useCreateDestination } from './destination-queries.ts';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { DrawerForm, NameField, saveItem, useDrawerSubmit } from '../../kit/resource/drawer-form.tsx';
import type { FormSlot } from '../../kit/resource/form-drawer.tsx';
import { focusPointer, placeSchemaErrors } from '../../kit/schema-form/place-schema-errors.ts';
import { SchemaFieldInputs } from '../../kit/schema-form/schema-field-inputs.tsx';
import { keepInput, type FieldInputs } from '../../kit/schema-form/schema-field.ts';
import { AllowOffer } from '../network/allow-offer.tsx';
import { isBuiltIn } from './destination-state.tsx';
import { Field } from '../../ui/controls/field.tsx';
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
  /** Undefined: a new destination. */
  destination: Destination | undefined;
  /** The error of the last read, if it failed. */
  failure: Error | null;
  onCreated: (destination: SignedDestination) => void;
  onSaved: () => void;
};

/** The form of a destination: its type, its address and the options of its type. */
export const DestinationForm = (props: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { slot, types, destination, failure, onCreated, onSaved } = props;
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
    draftable: (typed, from) => withoutSecrets(typed, from, types),
  });
  const { form, base } = edited;
  const { register, handleSubmit, control, formState, setValue, getValues } = form;
  const { errors } = formState;
  const create = useCreateDestination();
  const change = useChangeDestination();
  const root = useRef<HTMLFormElement>(null);

  const chosen = useWatch({ control, name: 'type' });
  const type = typeNamed(types, chosen);
  const fields = optionFieldsOf(type);
  const urlField = urlFieldOf(type);
  const { submit, notice, forbidden, clearForbidden } = useDrawerSubmit(slot, (found) => {
    // The options have fields of their own under `config`.
    const { setError } = form as unknown as UseFormReturn<{ config: FieldInputs }>;
    const unplaced = placeFieldErrors(form, placeSchemaErrors(setError, '/options', fields, found));
    const pointer = found[0]?.pointer;
    if (root.current !== null && pointer !== undefined) focusPointer(root.current, pointer);
    return unplaced;
  });
  // The first field with an error in the order of registration is focused.
  const name = register('name');
  const url = register('url');

  const chooseType = (next: string) => {
    const nextFields = optionFieldsOf(typeNamed(types, next));
    setValue('type', next, { shouldDirty: true, shouldTouch: true, shouldValidate: formState.isSubmitted });
    setValue('config', keepInput(nextFields, getValues('config')), { shouldDirty: true });
  };

  const save = (values: DestinationFormValues) =>
    submit(async () => {
      const { created, isSaved } = await saveItem(edited.save, {
        create: () => create.mutateAsync(newDestinationOf(values, types)),
        changesOf: (item) => changeOf(item, values, types),
        change: change.mutateAsync,
      });
      if (created !== undefined) onCreated(created);
      else if (isSaved) onSaved();
    });

  return (
    <DrawerForm slot={slot} ref={root} onSubmit={handleSubmit(save)}>
      <EditNotices edited={edited} />
      {notice}
      <div data-pointer="/name">
        <NameField
          slot={slot}
          field={name}
          error={errors.name?.message}
          help="For example “Plant database” or “Data lake”."
          maxLength={100}
        />
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
                columns={1}
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
      <AllowOffer
        // An edit removes the error, and the next one may have another reason.
        network={errors.url?.type === 'server' ? forbidden : undefined}
        onAllowed={() => {
          form.clearErrors('url');
          clearForbidden();
        }}
      />
      <SchemaFieldInputs fields={fields} form={form} pointer="/options" />
    </DrawerForm>
  );
};
