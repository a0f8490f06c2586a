import type { FastifyRequest } from 'fastify';
import { devicesByExternalIdApi } from '#contract/devices-by-external-id.ts';
import { BATCH_LIMIT, devicesApi, type DeviceBatchAnswer, type Device } from '#contract/devices.ts';
import type { Transact } from '../events/event-store.ts';
import { Answer, JsonText, requireMatch } from '../platform/http/answer.ts';
import { actorGroupOf, type Actor } from '../platform/http/auth.ts';
import { isAwaitedBy } from '../platform/http/awaited.ts';
import { notFound } from '../platform/http/http-problem.ts';
import { route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import { dryRun } from './dry-run.ts';
import { runBatch } from './device-batch.ts';
import { devicePageToJson } from './device-json.ts';
import { createDeviceFacets } from './device-facets.ts';
import { createDeviceList } from './device-list.ts';
import { requireVisible } from './device-rules.ts';
import {
  deviceOf,
  findByExternalIds,
  findByIds,
  getByExternalId,
  getDevice,
  type DeviceRow,
} from './device-store.ts';
import {
  changeDevice,
  putDevice,
  registerDevice,
  removeDevice,
  restoreDevice,
  type Act,
} from './device-writes.ts';

const answer = (row: DeviceRow, status?: number): Answer<Device> =>
  new Answer(deviceOf(row), {
    etag: row.revision,
    ...(status === undefined ? {} : { status, location: `/v1/devices/${row.id}` }),
  });

type Dependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  disk: Pick<DiskGuard, 'withReserve'>;
};

export const deviceRoutes = ({ db, transact, now, disk }: Dependencies) => {
  const acting = <T>(actor: Actor, work: (act: Act) => Promise<T>): Promise<T> =>
    transact((tx, recordEvents) => work({ tx, recordEvents, actor, nowMs: now() }));

  const readerOf = (actor: Actor, request: FastifyRequest) => ({
    only: actor.devices,
    nowMs: now(),
    isAwaited: isAwaitedBy(request),
    group: actorGroupOf(actor),
  });

  const listDevices = createDeviceList(db);
  const countFacets = createDeviceFacets(db);

  return [
    route(devicesApi.list, async ({ query, actor, request }) => {
      return new JsonText(devicePageToJson(await listDevices(query, readerOf(actor, request))));
    }),

    route(devicesApi.facets, ({ query, actor, request }) => countFacets(query, readerOf(actor, request))),

    route(devicesApi.create, ({ body, actor, saveResponse }) =>
      acting(actor, async (act) => {
        const created = answer(await registerDevice(act, body), 201);
        await saveResponse(act.tx, created);
        return created;
      }),
    ),

    route(devicesApi.get, async ({ params, actor }) => {
      requireVisible(actor, params.id);
      return answer(await getDevice(db, params.id));
    }),

    route(devicesApi.change, ({ params, body, actor, request }) =>
      acting(actor, async (act) => {
        const row = await getDevice(act.tx, params.id);
        requireMatch(request, row.revision);
        return answer(await changeDevice(act, row, body));
      }),
    ),

    route(devicesApi.remove, async ({ params, actor, request }) => {
      await acting(actor, async (act) => {
        const row = await getDevice(act.tx, params.id);
        requireMatch(request, row.revision);
        await removeDevice(act, row);
      });
      return undefined;
    }),

    route(devicesApi.restore, ({ params, actor }) =>
      acting(actor, async (act) => {
        const [row] = await findByIds(act.tx, [params.id]);
        if (row === undefined) throw notFound('device');
        return answer(await restoreDevice(act, row));
      }),
    ),

    route(devicesByExternalIdApi.getByExternalId, async ({ params, actor }) => {
      const row = await getByExternalId(db, params.externalId);
      requireVisible(actor, row.id);
      return answer(row);
    }),

    route(devicesByExternalIdApi.put, ({ params, body, actor, request }) =>
      acting(actor, async (act) => {
        const [holder] = await findByExternalIds(act.tx, [params.externalId]);
        if (holder !== undefined) requireMatch(request, holder.revision);
        const row = await putDevice(act, holder, params.externalId, body);
        return answer(row, holder === undefined ? 201 : undefined);
      }),
    ),

    route(devicesApi.batch, async ({ body, actor, request }) => {
      const { filter, cursor, limit = BATCH_LIMIT } = body;
      const reader = { ...readerOf(actor, request), only: null };
      // Before the transaction, for which all other reads wait.
      const filtered = filter && {
        filter,
        page: await listDevices({ ...filter, sort: 'id', limit, cursor }, reader),
      };
      const run = () =>
        body.dryRun
          ? dryRun<DeviceBatchAnswer>((end) =>
              acting(actor, (act) => end(() => runBatch(act, body, filtered))),
            )
          : acting(actor, (act) => runBatch(act, body, filtered));
      return body.operation === 'delete' ? disk.withReserve(run) : run();
    }),
  ];
};
