import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { newWebhookSchema, webhooksApi, type SignedWebhook, type Webhook } from '#contract/webhooks.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { placeFieldErrors } from '../../kit/forms/use-zod-form.ts';
import { DrawerForm, NameField, saveItem, useDrawerSubmit } from '../../kit/resource/drawer-form.tsx';
import { ItemFormDrawer, type FormSlot } from '../../kit/resource/form-drawer.tsx';
import {
  useChangeWebhook,
  useCreateWebhook,
  webhookQueries,
} from '../../resources/webhooks/webhook-queries.ts';
import { AllowOffer } from '../../resources/network/allow-offer.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { useWebhookSecret } from './webhook-secret.tsx';
import { EventPicker } from './event-picker.tsx';
import { TagField } from './tag-field.tsx';
import { changeOf, formValuesOf, newWebhookOf, type WebhookValues, webhookFields } from './webhook-fields.ts';
import * as z from 'zod';
import { tagSchema } from '#contract/tag.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { DIGEST_EVENTS } from '#contract/webhook-events.ts';

type Props = {
  isOpen: boolean;
  /** The webhook to edit; null: a new one. */
  webhookId: string | null;
  /** `createdId`: the webhook that was added here. */
  onClose: (createdId: string | null) => void;
  onClosed: () => void;
};

/** Creates a webhook and then shows its secret, or edits one. */
export const WebhookFormDrawer = ({ isOpen, webhookId, onClose, onClosed }: Props) => {
  const [createdId, setCreatedId] = useState<string | null>(null);
  const secret = useWebhookSecret(() => onClose(createdId));
  return (
    <ItemFormDrawer
      drawer={{ isOpen, onClose: () => onClose(null), onClosed }}
      words={{
        new: { title: 'Add webhook', submit: 'Add webhook' },
        edit: { title: 'Edit webhook', submit: 'Save' },
      }}
      scope="devices:write"
      id={webhookId}
      query={webhookQueries.detail}
      secret={secret}
    >
      {(slot, { item, failure }) => (
        <WebhookForm
          slot={slot}
          webhook={item}
          failure={failure}
          onCreated={(created) => {
            setCreatedId(created.id);
            secret.show(created);
          }}
          onSaved={() => onClose(null)}
        />
      )}
    </ItemFormDrawer>
  );
};

const formSchema = newWebhookSchema
  .omit({ enabled: true })
  .extend({ tag: z.union([z.literal(''), tagSchema]), digest: z.boolean() });

type FormProps = {
  slot: FormSlot;
  /** Undefined: a new webhook. */
  webhook: Webhook | undefined;
  failure: Error | null;
  onCreated: (webhook: SignedWebhook) => void;
  onSaved: () => void;
};

const WebhookForm = ({ slot, webhook, failure, onCreated, onSaved }: FormProps) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const edited = useEditedForm<Webhook, WebhookValues>({
    schema: formSchema,
    draft: `webhook.${webhook?.id ?? 'new'}`,
    item: webhook,
    failure,
    kind: 'webhook',
    valuesOf: formValuesOf,
    fields: webhookFields,
    etagOf: (id) => etagOf(webhooksApi.change, { id }),
    read: (id) => callWithEtag(webhooksApi.get, { params: { id } }),
  });
  const { form, initial } = edited;
  const { register, handleSubmit, control, formState, setValue } = form;
  const { errors } = formState;
  const { submit, notice, forbidden, clearForbidden } = useDrawerSubmit(slot, (found) =>
    placeFieldErrors(form, found),
  );
  const create = useCreateWebhook();
  const change = useChangeWebhook();
  const events = useWatch({ control, name: 'events' }) ?? initial.events;
  const tag = useWatch({ control, name: 'tag' }) ?? initial.tag;
  // The first field with an error in the order of registration is focused.
  const name = register('name');
  const url = register('url');

  const save = (values: WebhookValues) =>
    submit(async () => {
      const { created, isSaved } = await saveItem(edited.save, {
        create: () => create.mutateAsync(newWebhookOf(values)),
        changesOf: (item) => changeOf(item, values),
        change: change.mutateAsync,
      });
      if (created !== undefined) onCreated(created);
      else if (isSaved) onSaved();
    });

  return (
    <DrawerForm slot={slot} onSubmit={handleSubmit(save)}>
      <EditNotices edited={edited} />
      {notice}
      <NameField
        slot={slot}
        field={name}
        error={errors.name?.message}
        help="For example “On-call channel” or “Ticket desk”."
      />
      <Field
        label="Address"
        error={errors.url?.message}
        help="Penstock sends events as signed JSON POSTs. It does not follow redirects."
      >
        <TextInput
          {...url}
          type="url"
          inputMode="url"
          placeholder="https://"
          onBlur={(event) => (event.target.value === '' ? undefined : void url.onBlur(event))}
          className="font-mono text-sm"
        />
      </Field>
      <AllowOffer
        // An edit removes the error, and the next one may have another reason.
        network={errors.url?.type === 'server' ? forbidden : undefined}
        onAllowed={() => {
          form.clearErrors('url');
          clearForbidden();
        }}
      />
      <Checkbox
        {...register('digest')}
        label="At most one delivery a minute"
        help={`An outage of a site otherwise sends one delivery per device. The first event is sent immediately. Events of the next minute are sent together in a digest, which lists the first ${DIGEST_EVENTS} and counts all. The receiver must support digests.`}
      />
      <TagField field={register('tag')} value={tag} error={errors.tag?.message} />
      <EventPicker
        value={events}
        onChange={(next) =>
          setValue('events', next, { shouldDirty: true, shouldValidate: formState.isSubmitted })
        }
        error={errors.events?.message}
      />
    </DrawerForm>
  );
};
