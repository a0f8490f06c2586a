import { useState, type RefObject } from 'react';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router-dom';
import { newDeviceSchema, tagsSchema, type Device, type NewDevice } from '#contract/devices.ts';
import { devicesApi } from '#contract/devices.ts';
import { slugOf } from '#contract/text.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { etagOf } from '../../api/client.ts';
import { useChangeDevice, useCreateDevice } from '../../api/device-queries.ts';
import { paths } from '../../paths.ts';
import { useLateFocus } from '../../ui/late-focus.ts';
import { Button } from '../../ui/button.tsx';
import { dropDraft, readDraft } from '../../ui/draft.ts';
import { Field } from '../../ui/field.tsx';
import { FormNotice } from '../../ui/form-notice.tsx';
import { mergeRefs } from '../../ui/merge-refs.ts';
import { pairsOf, TagEditor, tagsOf, type TagPair } from '../../ui/tag-editor.tsx';
import { NumberInput, readNumber, TextArea, TextInput } from '../../ui/text-input.tsx';
import { showToast } from '../../ui/toast.ts';
import { placeFieldErrors, useZodForm } from '../../ui/use-zod-form.ts';
import { changeOf, formValuesOf } from './device-change.ts';

type Base = { device?: Device | undefined; etag?: string | undefined };

type Props = {
  id: string;
  /** Left out: a new one. */
  device: Device | undefined;
  firstField: RefObject<HTMLInputElement | null>;
  onBusy: (isBusy: boolean) => void;
  onSaved: () => void;
};

const editedSchema = newDeviceSchema.required({ externalId: true });
const emptyAsNone = { setValueAs: (text: unknown) => (text === '' ? undefined : text) };

/** What is wrong with tags, by key. */
const tagProblems = (tags: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    (tagsSchema.safeParse(tags).error?.issues ?? []).map((issue) => [
      String(issue.path[0] ?? Object.keys(tags).at(-1)),
      issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message,
    ]),
  );

export const DeviceForm = ({ id, device, firstField, onBusy, onSaved }: Props) => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
  'use no memo';
  useLateFocus(firstField);
  const draft = `device.${device?.id ?? 'new'}`;
  const freshBase = (): Base => ({ device, etag: device && etagOf(devicesApi.change, { id: device.id }) });
  /** What the form was filled from: a change made by others since then must not be overwritten unseen. */
  const [base, setBase] = useState(() => readDraft<unknown, Base>(draft)?.base ?? freshBase());
  const { form, initial, hasDraft } = useZodForm<NewDevice, NewDevice>(
    device === undefined ? newDeviceSchema : editedSchema,
    { values: formValuesOf(base.device), draft, base },
  );
  const { register, handleSubmit, control, formState, setValue, reset } = form;
  const [pairs, setPairs] = useState<TagPair[]>(() => pairsOf(initial.tags ?? {}));
  const [tagErrors, setTagErrors] = useState<Record<string, string>>({});
  const [notice, setNotice] = useState<string | null>(null);
  const [isRestored, setIsRestored] = useState(hasDraft);
  const [isChangedMeanwhile, setIsChangedMeanwhile] = useState(false);
  const create = useCreateDevice();
  const change = useChangeDevice();
  const navigate = useNavigate();
  const name = useWatch({ control, name: 'name' });
  const { errors } = formState;
  const nameField = register('name');

  const changeTags = (next: TagPair[]) => {
    setPairs(next);
    setTagErrors({});
    setValue('tags', tagsOf(next), { shouldDirty: true });
  };

  const discard = () => {
    dropDraft(draft);
    reset(formValuesOf(device));
    setPairs(pairsOf(device?.tags ?? {}));
    setBase(freshBase());
    setIsRestored(false);
    setIsChangedMeanwhile(false);
    setNotice(null);
  };

  const showTagProblems = (tags: Record<string, string> = {}): boolean => {
    const problems = tagProblems(tags);
    setTagErrors(problems);
    return Object.keys(problems).length > 0;
  };

  const save = async (values: NewDevice, ifMatch: string | null | undefined) => {
    if (showTagProblems(values.tags)) return;
    setNotice(null);
    onBusy(true);
    try {
      if (base.device === undefined) {
        const made = await create.mutateAsync(values);
        dropDraft(draft);
        onSaved();
        showToast({
          title: `Registered ${made.name}`,
          action: { label: 'Open', onAct: () => void navigate(paths.device(made.id)) },
        });
      } else {
        const changes = changeOf(base.device, values);
        if (Object.keys(changes).length > 0) {
          await change.mutateAsync({
            id: base.device.id,
            change: changes,
            ...(ifMatch !== undefined && { ifMatch }),
          });
        }
        dropDraft(draft);
        onSaved();
      }
    } catch (error) {
      if (hasCode(error, 'precondition-failed')) setIsChangedMeanwhile(true);
      else {
        const { detail } = describeError(error);
        const placed = hasCode(error, 'validation-failed', 'conflict') ? error.fields : [];
        const rest = placeFieldErrors(form, placed);
        setNotice(placed.length === 0 ? detail : rest.length > 0 ? rest.join(' ') : null);
      }
    } finally {
      onBusy(false);
    }
  };

  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) =>
        void handleSubmit(
          (values) => save(values, base.etag),
          () => void showTagProblems(form.getValues('tags')),
        )(event)
      }
      className="flex flex-col gap-5"
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
          This device was changed elsewhere while you edited it. What you typed is still here.
        </FormNotice>
      )}
      {notice !== null && <FormNotice tone="bad">{notice}</FormNotice>}
      <Field label="Name" error={errors.name?.message}>
        <TextInput {...nameField} ref={mergeRefs(nameField.ref, firstField)} />
      </Field>
      <Field
        label="External id"
        optional={device === undefined}
        error={errors.externalId?.message}
        help={
          device === undefined
            ? `What the device calls itself in topics and payloads. Left empty: ${slugOf(name) || 'made from the name'}.`
            : 'What the device calls itself in topics and payloads. Messages under the old id register a new device.'
        }
      >
        <TextInput {...register('externalId', emptyAsNone)} className="font-mono" />
      </Field>
      <Field
        label="Type"
        optional
        error={errors.type?.message}
        help="What kind of thing it is, to filter by."
      >
        <TextInput {...register('type')} />
      </Field>
      <Field
        label="Expected interval"
        optional
        error={errors.expectedInterval?.message}
        help="Seconds between two messages: it is late after three of them, and a minute at the least. Left empty, it is learned from what arrives."
      >
        <NumberInput suffix="s" {...register('expectedInterval', readNumber)} />
      </Field>
      <TagEditor label="Tags" pairs={pairs} onChange={changeTags} errors={tagErrors} />
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...register('description')} />
      </Field>
    </form>
  );
};
