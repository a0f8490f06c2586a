import * as z from 'zod';
import {
  BATCH_LIMIT,
  deviceChangeSchema,
  deviceUpsertSchema,
  externalIdSchema,
  newExternalIdSchema,
  type DeviceBatch,
  type DeviceBatchAnswer,
} from '#contract/devices.ts';
import { idSchema } from '#contract/id.ts';
import { parseBody } from '../platform/http/parse-request.ts';
import { notFound, HttpProblem } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import { createYield } from '../platform/event-loop.ts';
import { deviceRowsOf, findByExternalIds, findByIds, type DeviceRow } from './device-store.ts';
import { changeDevice, putDevice, removeDevice, restoreDevice, type Act } from './device-writes.ts';

type Result = DeviceBatchAnswer['results'][number];

const named = { id: idSchema('dev').optional(), externalId: externalIdSchema.optional() };
const itemSchemas = {
  upsert: deviceUpsertSchema.extend({ externalId: newExternalIdSchema }),
  update: deviceChangeSchema.extend(named),
  delete: z.strictObject(named),
  restore: z.strictObject(named),
};

const findNamed = async (
  db: Db,
  { id, externalId }: { id?: string | undefined; externalId?: string | undefined },
) => {
  if (id !== undefined) return (await findByIds(db, [id]))[0];
  if (externalId !== undefined) return (await findByExternalIds(db, [externalId]))[0];
  throw new HttpProblem('validation-failed', 'Each item must have an id or an externalId.');
};

const getNamed = async (
  act: Act,
  name: Parameters<typeof findNamed>[1],
  isDeletedToo = false,
): Promise<DeviceRow> => {
  const row = await findNamed(act.tx, name);
  if (row === undefined || (row.deleted_at !== null && !isDeletedToo)) throw notFound('device');
  return row;
};

/** Applies one item like a single request. Returns the status and the ID of the device. */
const runItem = async (
  act: Act,
  operation: DeviceBatch['operation'],
  item: unknown,
): Promise<{ status: number; id: string }> => {
  switch (operation) {
    case 'upsert': {
      const { externalId, ...fields } = parseBody(itemSchemas.upsert, item);
      const holder = await findNamed(act.tx, { externalId });
      const { id } = await putDevice(act, holder, externalId, fields);
      return { status: holder === undefined ? 201 : 200, id };
    }
    case 'update': {
      const { id, ...change } = parseBody(itemSchemas.update, item);
      // With an `id`, `externalId` is a new value. Without one, it identifies the device.
      const row = await getNamed(act, id === undefined ? { externalId: change.externalId } : { id });
      await changeDevice(act, row, change);
      return { status: 200, id: row.id };
    }
    case 'delete': {
      const row = await getNamed(act, parseBody(itemSchemas.delete, item));
      await removeDevice(act, row);
      return { status: 204, id: row.id };
    }
    case 'restore': {
      const row = await getNamed(act, parseBody(itemSchemas.restore, item), true);
      await restoreDevice(act, row);
      return { status: 200, id: row.id };
    }
  }
};

/** All rules of an item are checked before its first write, so that a rejected item changes nothing. */
const attempt = async (
  index: number,
  work: () => Promise<{ status: number; id: string }>,
): Promise<Result> => {
  try {
    return { index, ok: true, problem: null, ...(await work()) };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { code, message: detail, errors, status } = error;
    return {
      index,
      ok: false,
      status,
      id: null,
      problem: { code, detail, ...(errors === undefined ? {} : { errors }) },
    };
  }
};

/** Runs a batch: its items, or a change to the next devices that match its filter, in the order of their IDs. */
export const runBatch = async (act: Act, batch: DeviceBatch): Promise<DeviceBatchAnswer> => {
  const { operation, items, filter, change = {}, cursor } = batch;
  const results: Result[] = [];
  const yieldIfLong = createYield();
  if (filter === undefined) {
    for (const [index, item] of (items ?? []).entries()) {
      results.push(await attempt(index, () => runItem(act, operation, item)));
      await yieldIfLong();
    }
    return { results, nextCursor: null };
  }
  const query = { ...filter, sort: 'id', limit: BATCH_LIMIT, cursor };
  const { rows, nextCursor } = await deviceRowsOf(act.tx, query, null);
  for (const [index, row] of rows.entries()) {
    results.push(
      await attempt(index, async () => {
        if (operation === 'delete') await removeDevice(act, row);
        else await changeDevice(act, row, change);
        return { status: operation === 'delete' ? 204 : 200, id: row.id };
      }),
    );
    await yieldIfLong();
  }
  return { results, nextCursor };
};
