import { useState, type RefObject } from 'react';
import { useWatch } from 'react-hook-form';
import { newWebhookSchema, webhooksApi, type SignedWebhook, type Webhook } from '#contract/webhooks.ts';
import { describeError, hasCode } from '../../../api/api-error.ts';
import { etagOf } from '../../../api/client.ts';
import { useChangeWebhook, useCreateWebhook } from '../../../api/webhook-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { dropDraft, readDraft } from '../../../ui/draft.ts';
import { Field } from '../../../ui/field.tsx';
import { FormNotice } from '../../../ui/form-notice.tsx';
import { useLateFocus } from '../../../ui/late-focus.ts';
import { mergeRefs } from '../../../ui/merge-refs.ts';
import { TextInput } from '../../../ui/text-input.tsx';
import { placeFieldErrors, useZodForm } from '../../../ui/use-zod-form.ts';
import { EventPicker } from './event-picker.tsx';
import { changeOf, formValuesOf, type WebhookValues } from './webhook-change.ts';

type Base = { webhook?: Webhook | undefined; etag?: string | undefined };

type Props = {
  id: string;
  /** Left out: a new one. */
  webhook: Webhook | undefined;
  firstField: RefObject<HTMLInputElement | null>;
  onBusy: (isBusy: boolean) => void;
  onCreated: (webhook: SignedWebhook) => void;
  onSaved: () => void;
};

const formSchema = newWebhookSchema.omit({ enabled: true });

export const WebhookForm = ({ id, webhook, firstField, onBusy, onCreated, onSaved }: Props) => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
  'use no memo';
  useLateFocus(firstField);
  const draft = `webhook.${webhook?.id ?? 'new'}`;
  const freshBase = (): Base => ({
    webhook,
    etag: webhook && etagOf(webhooksApi.change, { id: webhook.id }),
  });
  /** What the form was filled from: a change made by others since then must not be overwritten unseen. */
  const [base, setBase] = useState(() => readDraft<unknown, Base>(draft)?.base ?? freshBase());
  const { form, initial, hasDraft } = useZodForm<WebhookValues, WebhookValues>(formSchema, {
    values: formValuesOf(base.webhook),
    draft,
    base,
  });
  const { register, handleSubmit, control, formState, setValue, reset } = form;
  const [notice, setNotice] = useState<string | null>(null);
  const [isRestored, setIsRestored] = useState(hasDraft);
  const [isChangedMeanwhile, setIsChangedMeanwhile] = useState(false);
  const create = useCreateWebhook();
  const change = useChangeWebhook();
  const events = useWatch({ control, name: 'events' }) ?? initial.events;
  const { errors } = formState;
  const [name, url] = [register('name'), register('url')];

  const discard = () => {
    dropDraft(draft);
    reset(formValuesOf(webhook));
    setBase(freshBase());
    setIsRestored(false);
    setIsChangedMeanwhile(false);
    setNotice(null);
  };

  const send = async (values: WebhookValues, ifMatch: string | null | undefined) => {
    if (base.webhook === undefined) {
      const made = await create.mutateAsync(values);
      dropDraft(draft);
      onCreated(made);
      return;
    }
    const changes = changeOf(base.webhook, values);
    if (Object.keys(changes).length > 0)
      await change.mutateAsync({
        id: base.webhook.id,
        change: changes,
        ...(ifMatch !== undefined && { ifMatch }),
      });
    dropDraft(draft);
    onSaved();
  };

  const save = async (values: WebhookValues, ifMatch: string | null | undefined) => {
    setNotice(null);
    onBusy(true);
    try {
      await send(values, ifMatch);
    } catch (error) {
      if (hasCode(error, 'precondition-failed')) setIsChangedMeanwhile(true);
      else {
        const placed = hasCode(error, 'validation-failed', 'conflict', 'destination-forbidden')
          ? error.fields
          : [];
        const rest = placeFieldErrors(form, placed);
        setNotice(placed.length === 0 ? describeError(error).detail : rest.join(' ') || null);
      }
    } finally {
      onBusy(false);
    }
  };

  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) => void handleSubmit((values) => save(values, base.etag))(event)}
      className="flex flex-col gap-6"
    >
      {isRestored && (
        <FormNotice tone="idle" action={<Button onClick={discard}>Discard it</Button>}>
          What you typed here before was kept.
        </FormNotice>
      )}
      {isChangedMeanwhile && (
        <FormNotice
          tone="attention"
          action={
            <>
              <Button onClick={() => void handleSubmit((values) => save(values, null))()}>
                Save mine anyway
              </Button>
              <Button look="quiet" onClick={discard}>
                Take theirs
              </Button>
            </>
          }
        >
          This webhook was changed elsewhere while you edited it. What you typed is still here.
        </FormNotice>
      )}
      {notice !== null && <FormNotice tone="bad">{notice}</FormNotice>}
      <Field label="Name" error={errors.name?.message} help="Who is told: “On-call channel”, “Ticket desk”.">
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
        help="Each event is sent there as a signed POST of JSON. Redirects are not followed."
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
