import type { NewDevice, Device, DeviceChange } from '#contract/devices.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';

/** The form values of a device. */
export const formValuesOf = (device: Device | undefined): NewDevice => ({
  name: device?.name ?? '',
  externalId: device?.externalId,
  type: device?.type ?? '',
  description: device?.description ?? '',
  tags: device?.tags ?? {},
  expectedInterval: device?.expectedInterval ?? null,
});

/** The changes of the form as a merge patch: removed tags are null. */
export const changeOf = (device: Device, values: NewDevice): DeviceChange => {
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
export const deviceFields: EditedFields<NewDevice> = {
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
