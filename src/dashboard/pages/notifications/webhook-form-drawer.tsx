import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDrawer, type FormSlot } from '../../kit/resource/form-drawer.tsx';
import { useShownId } from '../../kit/resource/use-shown-id.ts';
import { useWebhookSecret } from './use-webhook-secret.tsx';
import { useWatch } from 'react-hook-form';
import { newWebhookSchema, webhooksApi, type SignedWebhook, type Webhook } from '#contract/webhooks.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import {
  useChangeWebhook,
  useCreateWebhook,
  webhookQueries,
} from '../../resources/webhooks/webhook-queries.ts';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { Field } from '../../ui/controls/field.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { useLateFocus } from '../../ui/browser/late-focus.ts';
import { mergeRefs } from '../../ui/browser/merge-refs.ts';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { placeFieldErrors } from '../../kit/forms/use-zod-form.ts';
import { EventPicker } from './event-picker.tsx';
import { changeOf, formValuesOf, type WebhookValues, webhookFields } from './webhook-fields.ts';

type FormProps = {
  slot: FormSlot;
  /** Left out: a new one. */
  webhook: Webhook | undefined;
  /** What came of the last try to read it. */
  failure: Error | null;
  onCreated: (webhook: SignedWebhook) => void;
  onSaved: () => void;
};

type Props = {
  isOpen: boolean;
  /** The webhook to edit; null: a new one. */
  webhookId: string | null;
  /** `createdId`: the webhook that was added here. */
  onClose: (createdId: string | null) => void;
  onClosed: () => void;
};

/** Creates a webhook, or edits one. In the place of the form of a new one comes its secret. */
export const WebhookFormDrawer = ({ isOpen, webhookId, onClose, onClosed }: Props) => {
  const shownId = useShownId(webhookId, isOpen);
  const webhook = useQuery({ ...webhookQueries.detail(shownId ?? ''), enabled: isOpen && shownId !== null });
  const [createdId, setCreatedId] = useState<string | null>(null);
  const secret = useWebhookSecret(() => onClose(createdId));
  const isNew = shownId === null;
  return (
    <FormDrawer
      drawer={{ isOpen, onClose: () => onClose(null), onClosed }}
      words={
        isNew ? { title: 'Add webhook', submit: 'Add webhook' } : { title: 'Edit webhook', submit: 'Save' }
      }
      reads={isNew ? [] : [webhook]}
      secret={secret}
    >
      {(slot) => (
        <WebhookForm
          key={shownId ?? 'new'}
          slot={slot}
          webhook={isNew ? undefined : webhook.data}
          failure={isNew ? null : webhook.error}
          onCreated={(made) => {
            setCreatedId(made.id);
            secret.hold(made);
          }}
          onSaved={() => onClose(null)}
        />
      )}
    </FormDrawer>
  );
};

const formSchema = newWebhookSchema.omit({ enabled: true });

const WebhookForm = ({ slot, webhook, failure, onCreated, onSaved }: FormProps) => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
  'use no memo';
  const { id, firstField, onBusy } = slot;
  useLateFocus(firstField);
  const edited = useEditedForm<Webhook, WebhookValues>({
    schema: formSchema,
    draft: `webhook.${webhook?.id ?? 'new'}`,
    item: webhook,
    failure,
    kind: 'webhook',
    valuesOf: formValuesOf,
    fields: webhookFields,
    etagOf: (webhookId) => etagOf(webhooksApi.change, { id: webhookId }),
    read: (webhookId) => callWithEtag(webhooksApi.get, { params: { id: webhookId } }),
  });
  const { form, initial } = edited;
  const { register, handleSubmit, control, formState, setValue } = form;
  const [notice, setNotice] = useState<string | null>(null);
  const create = useCreateWebhook();
  const change = useChangeWebhook();
  const events = useWatch({ control, name: 'events' }) ?? initial.events;
  const { errors } = formState;
  const [name, url] = [register('name'), register('url')];

  const save = async (values: WebhookValues) => {
    setNotice(null);
    onBusy(true);
    let made: SignedWebhook | undefined;
    try {
      const isSaved = await edited.save(async ({ item, etag }) => {
        if (item === undefined) {
          made = await create.mutateAsync(values);
          return;
        }
        const changes = changeOf(item, values);
        if (Object.keys(changes).length > 0)
          await change.mutateAsync({ id: item.id, change: changes, ifMatch: etag });
      });
      if (made !== undefined) onCreated(made);
      else if (isSaved) onSaved();
    } catch (error) {
      const placed = hasCode(error, 'validation-failed', 'conflict', 'destination-forbidden')
        ? error.fields
        : [];
      const rest = placeFieldErrors(form, placed);
      setNotice(placed.length === 0 ? describeError(error).detail : rest.join(' ') || null);
    } finally {
      onBusy(false);
    }
  };

  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) => void handleSubmit(save)(event)}
      className="flex flex-col gap-6"
    >
      <EditNotices
        edited={edited}
        onRevive={{ label: 'Create again', act: async () => edited.startAnew() }}
      />
      {notice !== null && <FormNotice tone="bad">{notice}</FormNotice>}
      <Field label="Name" error={errors.name?.message} help="For example “On-call channel” or “Ticket desk”.">
        <TextInput
          {...name}
          ref={mergeRefs(name.ref, firstField)}
          // An error that came as the pointer went down would move what it was about to click. Submit tells.
          onBlur={(event) => (event.target.value === '' ? undefined : void name.onBlur(event))}
        />
      </Field>
      <Field
        label="Address"
        error={errors.url?.message}
        help="Penstock sends each event as a signed JSON POST. It does not follow redirects."
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
      <EventPicker
        value={events}
        onChange={(next) =>
          setValue('events', next, { shouldDirty: true, shouldValidate: formState.isSubmitted })
        }
        error={errors.events?.message}
      />
    </form>
  );
};
