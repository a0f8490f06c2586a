import type { Device, DeviceChange, NewDevice } from '#contract/devices.ts';

/** A device as the form holds it. */
export const formValuesOf = (device: Device | undefined): NewDevice => ({
  name: device?.name ?? '',
  externalId: device?.externalId,
  type: device?.type ?? '',
  description: device?.description ?? '',
  tags: device?.tags ?? {},
  expectedInterval: device?.expectedInterval ?? null,
});

/** What of a device the form changed, as a merge patch: a tag that was taken away is null. */
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
