import { useQuery } from '@tanstack/react-query';
import { FormDrawer, type FormSlot } from '../../kit/resource/form-drawer.tsx';
import { useShownId } from '../../kit/resource/use-shown-id.ts';
import { deviceQueries, useChangeDevice, useCreateDevice, useRestoreDevice } from './device-queries.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router-dom';
import { newDeviceSchema, tagsSchema, type Device, type NewDevice, devicesApi } from '#contract/devices.ts';
import { slugOf } from '#contract/text.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { paths } from '../../paths.ts';
import { useLateFocus } from '../../ui/browser/late-focus.ts';
import { Field } from '../../ui/controls/field.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { mergeRefs } from '../../ui/browser/merge-refs.ts';
import { pairsOf, TagEditor, tagsOf, type TagPair } from '../../kit/forms/tag-editor.tsx';
import { NumberInput, readNumber, TextArea, TextInput } from '../../ui/controls/text-input.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { placeFieldErrors } from '../../kit/forms/use-zod-form.ts';
import { changeOf, formValuesOf, deviceFields } from './device-fields.ts';

type Props = {
  isNew: boolean;
  /** The device to edit. */
  deviceId: string | null;
  onClose: () => void;
};

/** Registers a device, or edits one. */
export const DeviceDrawer = ({ isNew, deviceId, onClose }: Props) => {
  const isOpen = isNew || deviceId !== null;
  const shownId = useShownId(deviceId, isOpen);
  const device = useQuery({ ...deviceQueries.detail(shownId ?? ''), enabled: isOpen && shownId !== null });
  return (
    <FormDrawer
      drawer={{ isOpen, onClose }}
      words={
        shownId === null
          ? { title: 'Register device', submit: 'Register' }
          : { title: 'Edit device', submit: 'Save' }
      }
      reads={shownId === null ? [] : [device]}
    >
      {(slot) => (
        <DeviceForm
          key={shownId ?? 'new'}
          slot={slot}
          device={shownId === null ? undefined : device.data}
          failure={shownId === null ? null : device.error}
          onSaved={onClose}
        />
      )}
    </FormDrawer>
  );
};

type DeviceFormProps = {
  slot: FormSlot;
  /** Left out: a new one. */
  device: Device | undefined;
  /** What came of the last try to read it. */
  failure: Error | null;
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

const DeviceForm = ({ slot, device, failure, onSaved }: DeviceFormProps) => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
  'use no memo';
  const { id, firstField, onBusy } = slot;
  useLateFocus(firstField);
  const edited = useEditedForm<Device, NewDevice>({
    schema: device === undefined ? newDeviceSchema : editedSchema,
    draft: `device.${device?.id ?? 'new'}`,
    item: device,
    failure,
    kind: 'device',
    valuesOf: formValuesOf,
    fields: deviceFields,
    etagOf: (deviceId) => etagOf(devicesApi.change, { id: deviceId }),
    read: (deviceId) => callWithEtag(devicesApi.get, { params: { id: deviceId } }),
    onReplaced: ({ tags }) => setPairs(pairsOf(tags ?? {})),
  });
  const { form, initial } = edited;
  const { register, handleSubmit, control, formState, setValue } = form;
  const [pairs, setPairs] = useState<TagPair[]>(() => pairsOf(initial.tags ?? {}));
  const [tagErrors, setTagErrors] = useState<Record<string, string>>({});
  const [notice, setNotice] = useState<string | null>(null);
  const create = useCreateDevice();
  const change = useChangeDevice();
  const restore = useRestoreDevice();
  const navigate = useNavigate();
  const name = useWatch({ control, name: 'name' });
  const { errors } = formState;
  const nameField = register('name');

  const changeTags = (next: TagPair[]) => {
    setPairs(next);
    setTagErrors({});
    setValue('tags', tagsOf(next), { shouldDirty: true });
  };

  const showTagProblems = (tags: Record<string, string> = {}): boolean => {
    const problems = tagProblems(tags);
    setTagErrors(problems);
    return Object.keys(problems).length > 0;
  };

  const save = async (values: NewDevice) => {
    if (showTagProblems(values.tags)) return;
    setNotice(null);
    onBusy(true);
    try {
      const isSaved = await edited.save(async ({ item, etag }) => {
        if (item === undefined) {
          const made = await create.mutateAsync(values);
          showToast({
            title: `Registered ${made.name}`,
            action: { label: 'Open', onAct: () => void navigate(paths.device(made.id)) },
          });
          return;
        }
        const changes = changeOf(item, values);
        if (Object.keys(changes).length > 0)
          await change.mutateAsync({
            id: item.id,
            change: changes,
            ifMatch: etag,
          });
      });
      if (isSaved) onSaved();
    } catch (error) {
      const { detail } = describeError(error);
      const placed = hasCode(error, 'validation-failed', 'conflict') ? error.fields : [];
      const rest = placeFieldErrors(form, placed);
      setNotice(placed.length === 0 ? detail : rest.length > 0 ? rest.join(' ') : null);
    } finally {
      onBusy(false);
    }
  };

  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) => void handleSubmit(save, () => void showTagProblems(form.getValues('tags')))(event)}
      className="flex flex-col gap-5"
    >
      <EditNotices
        edited={edited}
        onRevive={{
          label: 'Restore device',
          act: async () => {
            if (device === undefined) return;
            await restore.mutateAsync(device.id);
            await edited.comeBack();
          },
        }}
      />
      {notice !== null && <FormNotice tone="bad">{notice}</FormNotice>}
      <Field label="Name" error={errors.name?.message}>
        <TextInput {...nameField} ref={mergeRefs(nameField.ref, firstField)} />
      </Field>
      <Field
        label="External ID"
        optional={device === undefined}
        error={errors.externalId?.message}
        help={
          device === undefined
            ? `The device’s own name in topics and payloads. Default: ${slugOf(name) || 'derived from the name'}.`
            : 'The device’s own name in topics and payloads. Messages with the old ID register a new device.'
        }
      >
        <TextInput {...register('externalId', emptyAsNone)} className="font-mono text-sm" />
      </Field>
      <Field label="Type" optional error={errors.type?.message} help="A category to filter by.">
        <TextInput {...register('type')} />
      </Field>
      <Field
        label="Expected interval"
        optional
        error={errors.expectedInterval?.message}
        help="Seconds between messages. The device is late after three intervals, but not before one minute. Leave empty to let Penstock learn the interval."
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
