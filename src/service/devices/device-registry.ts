import { externalIdSchema, newDeviceSchema } from '#contract/devices.ts';
import { isId } from '#contract/id.ts';
import { transact, type NewEvent, type Party } from '../events/event-store.ts';
import type { Live } from '../live.ts';
import type { ResolvedDevice, Sender } from '../telemetry/ingest-samples.ts';
import type { Db } from '../storage/database.ts';
import {
  findByExternalIds,
  findByIds,
  insertDevice,
  newDeviceRow,
  updateDevice,
  type DeviceRow,
} from './device-store.ts';

/** What a source may say besides: its devices' names by external id, and its period in seconds where it is polled. */
export type SourceSender = Sender & {
  readonly deviceNames?: ReadonlyMap<string, string>;
  readonly expectedInterval?: number;
};

const unknown = (name: string): ResolvedDevice => ({
  refused: 'unknown-device',
  detail: `There is no device ${name}, or this token may not write to it. Register it first, or check its name.`,
});

/** What a source calls a device, where people may be shown it. */
const calledBy = (given: string | undefined, externalId: string): string =>
  newDeviceSchema.shape.name.safeParse(given).data ?? externalId;

/** Devices that are known by these names, what is refused of the others, and the names that are new and may be registered. */
const lookUp = async (
  db: Db,
  wanted: readonly string[],
  { devices: only, onUnknownDevice }: SourceSender,
) => {
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
    if (row !== undefined && only !== null && !only.includes(row.id)) resolved.set(name, unknown(name));
    else if (row?.deleted_at != null)
      resolved.set(name, {
        refused: 'device-deleted',
        detail: `The device ${name} was deleted and can be restored for 24 hours. Restore it to take its data.`,
      });
    else if (row !== undefined) resolved.set(name, { id: row.id, externalId: row.external_id });
    else if (only !== null || onUnknownDevice === 'reject' || isId('dev', name))
      resolved.set(name, unknown(name));
    else if (!externalIdSchema.safeParse(name).success)
      resolved.set(name, {
        refused: 'invalid-device',
        detail: 'A device is named by its id or external id: 1–128 letters, digits and . _ : -',
      });
    else fresh.push(name);
  }
  return { resolved, fresh, found };
};

/** What the registry would find, registering nobody: a device that it would register has its external id for an id. */
export const foreseeDevices = async (
  db: Db,
  names: readonly string[],
  sender: SourceSender,
): Promise<ReadonlyMap<string, ResolvedDevice>> => {
  const { resolved, fresh } = await lookUp(db, [...new Set(names)], sender);
  for (const name of fresh) resolved.set(name, { id: name, externalId: name });
  return resolved;
};

/** Finds devices by id or external id, registering those seen for the first time. Order of names does not matter. */
export const createDeviceRegistry =
  (deps: { db: Db; live: Live; now: () => number }) =>
  async (names: readonly string[], sender: SourceSender): Promise<ReadonlyMap<string, ResolvedDevice>> => {
    const { actor, deviceNames, expectedInterval } = sender;
    const { db, now } = deps;
    const wanted = [...new Set(names)];
    const { resolved, fresh, found } = await lookUp(db, wanted, sender);
    // A polled source knows how often its device reports: said once, where nobody has said otherwise.
    const untimed =
      expectedInterval === undefined
        ? []
        : wanted.flatMap((name) => {
            const row = found.get(name);
            return row !== undefined && row.expected_interval === null && row.deleted_at === null
              ? [row]
              : [];
          });
    if (fresh.length === 0 && untimed.length === 0) return resolved;
    await transact(deps, async (tx, tell) => {
      // Another request may have registered one meanwhile: looked for again where nobody else can write.
      for (const row of await findByExternalIds(tx, fresh))
        resolved.set(row.external_id, { id: row.id, externalId: row.external_id });
      const rows = fresh
        .filter((name) => !resolved.has(name))
        .map((name) =>
          newDeviceRow(
            { name: calledBy(deviceNames?.get(name), name), expectedInterval: expectedInterval ?? null },
            name,
            now(),
          ),
        );
      for (const row of rows) {
        await insertDevice(tx, row);
        resolved.set(row.external_id, { id: row.id, externalId: row.external_id });
      }
      for (const { id } of untimed)
        await updateDevice(tx, id, { expected_interval: expectedInterval ?? null });
      await tell(...rows.map((row) => registered(row, actor, now())));
    });
    return resolved;
  };

const registered = (row: DeviceRow, actor: Party | null, at: number): NewEvent => ({
  type: 'device.registered',
  subject: { type: 'device', id: row.id, name: row.name },
  actor,
  data: { firstSight: true },
  at,
});
