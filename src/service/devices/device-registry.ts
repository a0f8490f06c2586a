import { externalIdSchema, newDeviceSchema } from '#contract/devices.ts';
import { isId } from '#contract/id.ts';
import type { NewEvent, Party, Transact } from '../events/event-store.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import { inWrite, type Db } from '../platform/storage/database.ts';
import { slicesOf } from '../platform/storage/slices.ts';
import { createPause, createYield, nextIteration } from '../platform/event-loop.ts';
import { SHOWN_CHARACTERS, shorten } from '../platform/shorten.ts';
import type { RegistrationLimit } from './registration-limit.ts';
import type { Sender } from './sender.ts';
import {
  findByExternalIds,
  findByIds,
  insertDevices,
  newDeviceRow,
  updateDevice,
  type DeviceRow,
} from './device-store.ts';
import { toIsoTime } from '../platform/iso-time.ts';

/** A device that was found or registered, or the reason why samples for it are rejected. */
export type ResolvedDevice =
  | { readonly id: string; readonly externalId: string; readonly isNew?: boolean }
  | { readonly reason: string; readonly detail: string };

/** Finds devices by ID or external ID, and registers unknown devices if the sender may. */
export type ResolveDevices = (
  names: readonly string[],
  sender: Sender,
) => Promise<ReadonlyMap<string, ResolvedDevice>>;

const NAMES_PER_LOOKUP = 250;
/** Each device needs a dozen index entries, an event, and a delivery per webhook. */
const DEVICES_PER_TRANSACTION = 25;

/** Names to keep, so that a sender of many devices need not look each of them up with every write. */
const MAX_KNOWN_NAMES = 50_000;
/** After these events a name may belong to another device, or to none. */
const RENAMING_EVENTS: ReadonlySet<string> = new Set(['device.updated', 'device.deleted', 'device.restored']);

type Found = { readonly id: string; readonly externalId: string };

/** Names of devices that were found, until one of them changes. */
const createKnownDevices = (bus: Pick<LiveBus, 'subscribe'>) => {
  const byName = new Map<string, Found>();
  let changes = 0;
  bus.subscribe('event', ({ event: { type } }) => {
    if (!RENAMING_EVENTS.has(type)) return;
    changes += 1;
    byName.clear();
  });
  return {
    find: (name: string): Found | undefined => byName.get(name),
    /** Call it before a lookup. The returned function keeps what was found, unless a device changed meanwhile. */
    begin: () => {
      const before = changes;
      return (found: ReadonlyMap<string, ResolvedDevice>): void => {
        if (changes !== before) return;
        if (byName.size + found.size > MAX_KNOWN_NAMES) byName.clear();
        for (const [name, device] of found)
          if ('id' in device) byName.set(name, { id: device.id, externalId: device.externalId });
      };
    },
  };
};

/** For limited senders, other devices do not exist. */
export const unknownDevice = (name: string) => ({
  reason: 'unknown-device',
  detail: `There is no device ${name}, or this token cannot write to it. Check the ID, or register the device first.`,
});

/** The display name that a source gives to a device. Defaults to the external ID. */
const displayNameOf = (given: string | undefined, externalId: string): string =>
  newDeviceSchema.shape.name.safeParse(given).data ?? externalId;

/** Returns known devices, the reasons why other names are rejected, and new names that can be registered. */
const lookUp = async (db: Db, wanted: readonly string[], { devices: only, onUnknownDevice }: Sender) => {
  const ids = wanted.filter((name) => isId('dev', name));
  const rows = [...(await findByIds(db, ids)), ...(await findByExternalIds(db, wanted))];
  const found = new Map<string, DeviceRow>();
  for (const row of rows) {
    found.set(row.id, row);
    found.set(row.external_id, row);
  }
  const resolved = new Map<string, ResolvedDevice>();
  const fresh: string[] = [];
  for (const name of wanted) {
    const row = found.get(name);
    if (row !== undefined && only !== null && !only.includes(row.id)) resolved.set(name, unknownDevice(name));
    else if (row?.deleted_at != null)
      resolved.set(name, {
        reason: 'device-deleted',
        detail: `The device ${name} was deleted and can be restored for 24 hours. Restore the device to accept its data.`,
      });
    else if (row !== undefined) resolved.set(name, { id: row.id, externalId: row.external_id });
    else if (only !== null || onUnknownDevice === 'reject' || isId('dev', name))
      resolved.set(name, unknownDevice(name));
    else if (!externalIdSchema.safeParse(name).success)
      resolved.set(name, {
        reason: 'invalid-device',
        detail: `“${shorten(name, SHOWN_CHARACTERS)}” cannot be an external ID. Use the ID or external ID of the device (1 to 128 letters, digits and . _ : -).`,
      });
    else fresh.push(name);
  }
  return { resolved, fresh, found };
};

/** Looks up names in slices, so that other work runs in between. */
const lookUpAll = async (db: Db, names: readonly string[], sender: Sender) => {
  const resolved = new Map<string, ResolvedDevice>();
  const fresh: string[] = [];
  const found = new Map<string, DeviceRow>();
  const yieldIfLong = createYield();
  for (const some of slicesOf([...new Set(names)], NAMES_PER_LOOKUP)) {
    const part = await lookUp(db, some, sender);
    for (const [name, device] of part.resolved) resolved.set(name, device);
    for (const [name, row] of part.found) found.set(name, row);
    fresh.push(...part.fresh);
    await yieldIfLong();
  }
  return { resolved, fresh, found };
};

/** Resolves devices without registering any. A device that would be registered has its external ID as ID. */
export const resolveDryRun = async (
  db: Db,
  names: readonly string[],
  sender: Sender,
): Promise<ReadonlyMap<string, ResolvedDevice>> => {
  const { resolved, fresh } = await lookUpAll(db, names, sender);
  for (const name of fresh) resolved.set(name, { id: name, externalId: name });
  return resolved;
};

/**
 * Finds devices by ID or external ID and registers new ones, in short transactions: if one fails, devices of earlier
 * transactions stay registered. The order of names does not matter.
 */
export const createDeviceRegistry = (deps: {
  db: Db;
  transact: Transact;
  now: () => number;
  registrations: RegistrationLimit;
  live: Pick<LiveBus, 'subscribe'>;
}): ResolveDevices => {
  const { db, transact, now, registrations } = deps;
  const known = createKnownDevices(deps.live);

  const limitReached = (registrant: string): ResolvedDevice => ({
    reason: 'registration-limit',
    detail: `The sender has reached the limit of ${registrations.perHour} new devices per hour (REGISTRATION_LIMIT). Send the samples again after ${toIsoTime(registrations.endsAtMs(registrant))}, or register the device first.`,
  });

  const reject = (
    names: readonly string[],
    registrant: string,
    resolved: Map<string, ResolvedDevice>,
  ): void => {
    if (names.length === 0) return;
    const reason = limitReached(registrant);
    for (const name of names) resolved.set(name, reason);
  };

  /** Registers devices that the lookup did not find, up to the limit of the sender. */
  const register = async (
    names: readonly string[],
    { actor, deviceNames, expectedInterval, registrant = actor?.id ?? '' }: Sender,
    resolved: Map<string, ResolvedDevice>,
  ): Promise<void> => {
    // Another request may have registered one since the lookup.
    const lookAgain = async (within: Db): Promise<string[]> => {
      for (const row of await findByExternalIds(within, names))
        resolved.set(row.external_id, { id: row.id, externalId: row.external_id, isNew: true });
      return names.filter((name) => !resolved.has(name));
    };
    if (registrations.isReached(registrant)) return reject(await lookAgain(db), registrant, resolved);
    let [allowed, inserted] = [0, 0];
    const registering = transact(async (tx, recordEvents) => {
      // Nobody else writes during the transaction.
      const missing = await lookAgain(tx);
      allowed = registrations.reserve(registrant, missing.length);
      reject(missing.slice(allowed), registrant, resolved);
      const rows = missing
        .slice(0, allowed)
        .map((name) =>
          newDeviceRow(
            { name: displayNameOf(deviceNames?.get(name), name), expectedInterval: expectedInterval ?? null },
            name,
            now(),
          ),
        );
      await insertDevices(tx, rows);
      for (const row of rows)
        resolved.set(row.external_id, { id: row.id, externalId: row.external_id, isNew: true });
      await recordEvents(...rows.map((row) => registered(row, actor, now())));
      return rows.length;
    });
    try {
      inserted = await registering;
    } finally {
      registrations.settle(registrant, allowed, inserted);
    }
  };

  const resolve: ResolveDevices = async (names, sender) => {
    const { expectedInterval } = sender;
    const { resolved, fresh, found } = await lookUpAll(db, names, sender);
    const pause = createPause();
    for (const some of slicesOf(fresh, DEVICES_PER_TRANSACTION)) {
      await register(some, sender, resolved);
      if (fresh.length > DEVICES_PER_TRANSACTION) await pause();
    }
    if (expectedInterval === undefined) return resolved;
    // A polled source knows the interval of its device. Set it once, unless an operator has set one.
    const untimed = new Set(
      [...found.values()].filter((row) => row.expected_interval === null && row.deleted_at === null),
    );
    for (const some of slicesOf([...untimed], DEVICES_PER_TRANSACTION)) {
      await inWrite(db, async (tx) => {
        for (const { id } of some) await updateDevice(tx, id, { expected_interval: expectedInterval });
      });
      await nextIteration();
    }
    return resolved;
  };

  return async (names, sender) => {
    // A limited sender may not write to each of them, and a polled source sets intervals.
    if (sender.devices !== null || sender.expectedInterval !== undefined) return resolve(names, sender);
    const resolved = new Map<string, ResolvedDevice>();
    const missing: string[] = [];
    for (const name of names) {
      const device = known.find(name);
      if (device === undefined) missing.push(name);
      else resolved.set(name, device);
    }
    if (missing.length === 0) return resolved;
    const keep = known.begin();
    const found = await resolve(missing, sender);
    keep(found);
    for (const [name, device] of found) resolved.set(name, device);
    return resolved;
  };
};

const registered = (row: DeviceRow, actor: Party | null, at: number): NewEvent => ({
  type: 'device.registered',
  subject: { type: 'device', id: row.id, name: row.name },
  actor,
  data: { firstSight: true },
  at,
});
