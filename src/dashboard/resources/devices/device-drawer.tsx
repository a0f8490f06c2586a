import { DrawerForm, NameField, saveItem, useDrawerSubmit } from '../../kit/resource/drawer-form.tsx';
import { ItemFormDrawer, type FormSlot } from '../../kit/resource/form-drawer.tsx';
import { deviceQueries, useChangeDevice, useCreateDevice, useRestoreDevice } from './device-queries.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router-dom';
import {
  newDeviceSchema,
  type Device,
  type NewDevice,
  devicesApi,
  type DeviceChange,
} from '#contract/devices.ts';
import { slugOf } from '#contract/slug-of.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { paths } from '../../paths.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { pairsOf, TagEditor, tagsOf, type TagPair } from './tag-editor.tsx';
import { NumberInput, readNumber, TextArea, TextInput } from '../../ui/controls/text-input.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { tagProblems } from './tag-problems.ts';
import { placeFieldErrors } from '../../kit/forms/use-zod-form.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';

type Props = {
  isNew: boolean;
  /** The device to edit. */
  deviceId: string | null;
  onClose: () => void;
};

/** Registers a device, or edits one. */
export const DeviceDrawer = ({ isNew, deviceId, onClose }: Props) => {
  return (
    <ItemFormDrawer
      drawer={{ isOpen: isNew || deviceId !== null, onClose }}
      words={{
        new: { title: 'Register device', submit: 'Register' },
        edit: { title: 'Edit device', submit: 'Save' },
      }}
      scope="devices:write"
      id={deviceId}
      query={deviceQueries.detail}
    >
      {(slot, { item, failure }) => (
        <DeviceForm slot={slot} device={item} failure={failure} onSaved={onClose} />
      )}
    </ItemFormDrawer>
  );
};

type DeviceFormProps = {
  slot: FormSlot;
  /** Undefined: a new device. */
  device: Device | undefined;
  failure: Error | null;
  onSaved: () => void;
};

const editedSchema = newDeviceSchema.required({ externalId: true });
const emptyAsNone = { setValueAs: (text: unknown) => (text === '' ? undefined : text) };

const DeviceForm = ({ slot, device, failure, onSaved }: DeviceFormProps) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
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
  const [holderId, setHolderId] = useState<string>();
  const { submit, notice } = useDrawerSubmit(slot, (found) => {
    setHolderId(found.find(({ deviceId }) => deviceId !== undefined)?.deviceId);
    return placeFieldErrors(form, found);
  });
  const create = useCreateDevice();
  const change = useChangeDevice();
  const restore = useRestoreDevice();
  const navigate = useNavigate();
  const name = useWatch({ control, name: 'name' });
  const { errors } = formState;

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
    await submit(async () => {
      const { created, isSaved } = await saveItem(edited.save, {
        create: () => create.mutateAsync(values),
        changesOf: (item) => changeOf(item, values),
        change: change.mutateAsync,
      });
      if (created !== undefined)
        showToast({
          title: `Registered ${created.name}`,
          action: { label: 'Open', onSelect: () => void navigate(paths.device(created.id)) },
        });
      if (isSaved) onSaved();
    });
  };

  return (
    <DrawerForm slot={slot} onSubmit={handleSubmit(save, () => void showTagProblems(form.getValues('tags')))}>
      <EditNotices
        edited={edited}
        recovery={{
          label: 'Restore device',
          run: async () => {
            if (device === undefined) return;
            await restore.mutateAsync(device.id);
            await edited.checkRestored();
          },
        }}
      />
      {notice}
      <NameField slot={slot} field={register('name')} error={errors.name?.message} />
      <Field
        label="External ID"
        optional={device === undefined}
        error={
          errors.externalId?.type === 'server' && holderId !== undefined ? (
            <>
              {errors.externalId.message} <Link to={paths.device(holderId)}>Open device</Link>
            </>
          ) : (
            errors.externalId?.message
          )
        }
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
        help="Seconds between messages. A device is late after three intervals, at least 1 minute. If empty, Penstock learns the interval, and a device is late after at least 5 minutes."
      >
        <NumberInput suffix="s" {...register('expectedInterval', readNumber)} />
      </Field>
      <TagEditor label="Tags" pairs={pairs} onChange={changeTags} errors={tagErrors} />
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...register('description')} />
      </Field>
    </DrawerForm>
  );
};

/** The form values of a device. */
const formValuesOf = (device: Device | undefined): NewDevice => ({
  name: device?.name ?? '',
  externalId: device?.externalId,
  type: device?.type ?? '',
  description: device?.description ?? '',
  tags: device?.tags ?? {},
  expectedInterval: device?.expectedInterval ?? null,
});

/** The changes of the form as a merge patch: removed tags are null. */
const changeOf = (device: Device, values: NewDevice): DeviceChange => {
  const change: DeviceChange = {};
  const { name, externalId, type = '', description = '', expectedInterval = null, tags = {} } = values;
  if (name !== device.name) change.name = name;
  if (externalId !== undefined && externalId !== device.externalId) change.externalId = externalId;
  if (type !== device.type) change.type = type;
  if (description !== device.description) change.description = description;
  if (expectedInterval !== device.expectedInterval) change.expectedInterval = expectedInterval;
  const removed = Object.keys(device.tags).filter((key) => !Object.hasOwn(tags, key));
  const set = Object.entries(tags).filter(([key, value]) => device.tags[key] !== value);
  if (removed.length + set.length > 0) {
    change.tags = Object.fromEntries([...set, ...removed.map((key) => [key, null] as const)]);
  }
  return change;
};

const TAG = 'tag ';
const labels: Record<string, string> = {
  name: 'Name',
  externalId: 'External ID',
  type: 'Type',
  expectedInterval: 'Expected interval',
  description: 'Description',
};

/** The fields of a device's form; each tag is one of them. */
const deviceFields: EditedFields<NewDevice> = {
  versionOf: ({ tags = {}, ...fields }) =>
    versionOfEntries([
      ...Object.entries(fields),
      ...Object.entries(tags).map(([key, value]) => [TAG + key, value] as const),
    ]),
  put: (values, key, value) => {
    if (!key.startsWith(TAG)) return { ...values, [key]: value ?? (key === 'expectedInterval' ? null : '') };
    const { [key.slice(TAG.length)]: _, ...tags } = values.tags ?? {};
    return {
      ...values,
      tags: value === undefined ? tags : { ...tags, [key.slice(TAG.length)]: String(value) },
    };
  },
  labelOf: (key) => (key.startsWith(TAG) ? `Tag ${key.slice(TAG.length)}` : (labels[key] ?? key)),
  textOf: (key, value) => (key === 'expectedInterval' ? `${String(value)} s` : String(value)),
};
