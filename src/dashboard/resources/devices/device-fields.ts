import type { NewDevice } from '#contract/devices.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';

const TAG = 'tag ';
const labels: Record<string, string> = {
  name: 'Name',
  externalId: 'External id',
  type: 'Type',
  expectedInterval: 'Expected interval',
  description: 'Description',
};

/** The fields of a device's form; each tag is one by itself. */
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
