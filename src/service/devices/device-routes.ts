import { devicesApi, type Device } from '#contract/devices.ts';
import { slugOf } from '#contract/text.ts';
import type { Deps } from '../deps.ts';
import { partyOf, transact, type NewEvent } from '../events/event-store.ts';
import type { Actor } from '../http/auth.ts';
import { invalidField, notFound, Refusal } from '../http/refusal.ts';
import { Answer, requireMatch } from '../http/answer.ts';
import { route } from '../http/route.ts';
import type { Db } from '../storage/database.ts';
import { presenceOf } from './device-rules.ts';
import {
  deviceOf,
  findByExternalIds,
  findDeletedDevice,
  getDevice,
  insertDevice,
  listDevices,
  namesOf,
  newDeviceRow,
  replaceTags,
  updateDevice,
  type DeviceRow,
} from './device-store.ts';

const taken = (externalId: string, holder: DeviceRow): Refusal =>
  new Refusal(
    'conflict',
    holder.deleted_at === null
      ? `The external id ${externalId} belongs to the device “${holder.name}”. Choose another.`
      : `The external id ${externalId} belongs to the deleted device “${holder.name}” for 24 hours. Restore that one, or choose another.`,
    { errors: [{ pointer: '/externalId', code: 'taken', detail: 'Is taken by another device.' }] },
  );

const requireFree = async (db: Db, externalId: string): Promise<void> => {
  const [holder] = await findByExternalIds(db, [externalId]);
  if (holder !== undefined) throw taken(externalId, holder);
};

/** A free external id made from a name; one that is taken gets `-2`, `-3`, … */
const freeSlug = async (db: Db, name: string): Promise<string> => {
  const slug = slugOf(name) || 'device';
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? slug : `${slug}-${number}`;
    if ((await findByExternalIds(db, [candidate])).length === 0) return candidate;
  }
};

const answer = (row: DeviceRow, status?: number): Answer<Device> =>
  new Answer(deviceOf(row), {
    etag: row.revision,
    ...(status === undefined ? {} : { status, location: `/v1/devices/${row.id}` }),
  });

/** Refuses, as if it did not exist, a device that the token is not for. */
export const requireVisible = (actor: Actor, deviceId: string): void => {
  if (actor.devices !== null && !actor.devices.includes(deviceId)) throw notFound('device');
};

export const deviceRoutes = (deps: Deps) => {
  const { db, now, presence } = deps;

  const event = (type: NewEvent['type'], actor: Actor, row: DeviceRow, data = {}): NewEvent => ({
    type,
    subject: { type: 'device', id: row.id, name: row.name },
    actor: partyOf(actor),
    data,
    at: now(),
  });

  return [
    route(devicesApi.list, ({ query, actor }) => listDevices(db, query, actor.devices)),

    route(devicesApi.create, ({ body, actor, remember }) =>
      transact(deps, async (tx, tell) => {
        if (body.externalId !== undefined) await requireFree(tx, body.externalId);
        const row = newDeviceRow(body, body.externalId ?? (await freeSlug(tx, body.name)), now());
        await insertDevice(tx, row);
        await replaceTags(tx, row.id, body.tags ?? {});
        await tell(event('device.registered', actor, row));
        const created = answer(row, 201);
        await remember(tx, created);
        return created;
      }),
    ),

    route(devicesApi.get, async ({ params, actor }) => {
      requireVisible(actor, params.id);
      return answer(await getDevice(db, params.id));
    }),

    route(devicesApi.change, ({ params, body, actor, request }) =>
      transact(deps, async (tx, tell) => {
        requireVisible(actor, params.id);
        const old = await getDevice(tx, params.id);
        requireMatch(request, old.revision);
        const externalId = body.externalId ?? old.external_id;
        if (externalId !== old.external_id) await requireFree(tx, externalId);
        const tags = { ...deviceOf(old).tags, ...body.tags };
        const kept = Object.fromEntries(
          Object.entries(tags).filter(([, value]) => value !== null),
        ) as Device['tags'];
        if (Object.keys(kept).length > 50)
          throw invalidField('/tags', 'too-big', 'A device has at most 50 tags. Take some away first.');
        const expectedInterval =
          body.expectedInterval === undefined ? old.expected_interval : body.expectedInterval;
        const { state, lateAt, offlineAt } = presenceOf(
          old.last_seen_at,
          { expectedInterval, learnedInterval: old.learned_interval },
          now(),
        );
        const row: DeviceRow = {
          ...old,
          ...namesOf(body.name ?? old.name, externalId),
          type: body.type ?? old.type,
          description: body.description ?? old.description,
          tags: JSON.stringify(kept),
          expected_interval: expectedInterval,
          state,
          late_at: lateAt,
          offline_at: offlineAt,
          updated_at: now(),
          revision: old.revision + 1,
        };
        await updateDevice(tx, row.id, row);
        await replaceTags(tx, row.id, kept);
        await tell(event('device.updated', actor, row, { fields: Object.keys(body) }));
        return answer(row);
      }),
    ),

    route(devicesApi.remove, async ({ params, actor, request }) => {
      requireVisible(actor, params.id);
      await transact(deps, async (tx, tell) => {
        const row = await getDevice(tx, params.id);
        requireMatch(request, row.revision);
        await updateDevice(tx, row.id, { deleted_at: now(), revision: row.revision + 1 });
        await tell(event('device.deleted', actor, row, { externalId: row.external_id }));
      });
      presence.forget(params.id);
      return undefined;
    }),

    route(devicesApi.restore, ({ params, actor }) =>
      transact(deps, async (tx, tell) => {
        requireVisible(actor, params.id);
        const row = await findDeletedDevice(tx, params.id);
        if (row === undefined) return answer(await getDevice(tx, params.id));
        const restored = { ...row, deleted_at: null, revision: row.revision + 1, updated_at: now() };
        await updateDevice(tx, row.id, restored);
        await tell(event('device.restored', actor, row));
        return answer(restored);
      }),
    ),
  ];
};
