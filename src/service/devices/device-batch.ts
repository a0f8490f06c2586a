import * as z from 'zod';
import {
  deviceChangeSchema,
  deviceUpsertItemSchema,
  externalIdSchema,
  type DeviceBatch,
  type DeviceBatchAnswer,
} from '#contract/devices.ts';
import type { DeviceFilter } from '#contract/device-filter.ts';
import { idSchema } from '#contract/id.ts';
import { parseBody } from '../platform/http/parse-request.ts';
import { notFound, HttpProblem } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import { createYield } from '../platform/event-loop.ts';
import type { Page } from '../platform/storage/keyset.ts';
import { readMatching } from './device-list.ts';
import { findByExternalIds, findByIds, type DeviceRow } from './device-store.ts';
import { changeDevice, putDevice, removeDevice, restoreDevice, type Act } from './device-writes.ts';

type Result = DeviceBatchAnswer['results'][number];

const named = { id: idSchema('dev').optional(), externalId: externalIdSchema.optional() };
const itemSchemas = {
  upsert: deviceUpsertItemSchema,
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

/** Notes the device of an item, which a rejection names too. */
type Note = (row: DeviceRow | undefined) => void;

const getNamed = async (
  act: Act,
  name: Parameters<typeof findNamed>[1],
  note: Note,
  isDeletedToo = false,
): Promise<DeviceRow> => {
  const row = await findNamed(act.tx, name);
  note(row);
  if (row === undefined || (row.deleted_at !== null && !isDeletedToo)) throw notFound('device');
  return row;
};

type Applied = Pick<Result, 'status' | 'isChanged'>;

/** Applies one item like a single request. */
const runItem = async (
  act: Act,
  operation: DeviceBatch['operation'],
  item: unknown,
  note: Note,
): Promise<Applied> => {
  switch (operation) {
    case 'upsert': {
      const { externalId, ...fields } = parseBody(itemSchemas.upsert, item);
      const holder = await findNamed(act.tx, { externalId });
      note(holder);
      const row = await putDevice(act, holder, externalId, fields);
      note(row);
      return { status: holder === undefined ? 201 : 200, isChanged: row !== holder };
    }
    case 'update': {
      const { id, ...change } = parseBody(itemSchemas.update, item);
      // With an `id`, `externalId` is a new value. Without one, it identifies the device.
      const row = await getNamed(act, id === undefined ? { externalId: change.externalId } : { id }, note);
      const changed = await changeDevice(act, row, change);
      note(changed);
      return { status: 200, isChanged: changed !== row };
    }
    case 'delete': {
      await removeDevice(act, await getNamed(act, parseBody(itemSchemas.delete, item), note));
      return { status: 204, isChanged: true };
    }
    case 'restore': {
      const row = await getNamed(act, parseBody(itemSchemas.restore, item), note, true);
      return { status: 200, isChanged: (await restoreDevice(act, row)) !== row };
    }
  }
};

/** All rules of an item are checked before its first write, so that a rejected item changes nothing. */
const attempt = async (index: number, work: (note: Note) => Promise<Applied>): Promise<Result> => {
  let device: { id: string | null; name: string | null } = { id: null, name: null };
  const note: Note = (row) => {
    if (row !== undefined) device = { id: row.id, name: row.name };
  };
  try {
    const applied = await work(note);
    return { index, ok: true, ...applied, ...device, problem: null };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { code, message: detail, errors, status } = error;
    const problem = { code, detail, ...(errors === undefined ? {} : { errors }) };
    return { index, ok: false, status, isChanged: false, ...device, problem };
  }
};

/** The devices that a batch with a filter changes: those of a page that still match it in the transaction. */
export type FilteredPage = { filter: DeviceFilter; page: Page<{ id: string }> };

/** Runs a batch: its items, or a change to the devices of a page, in the order of their IDs. */
export const runBatch = async (
  act: Act,
  { operation, items = [], except = [], change = {} }: DeviceBatch,
  filtered: FilteredPage | undefined,
): Promise<DeviceBatchAnswer> => {
  const results: Result[] = [];
  const yieldIfLong = createYield();
  if (filtered === undefined) {
    for (const [index, item] of items.entries()) {
      results.push(await attempt(index, (note) => runItem(act, operation, item, note)));
      await yieldIfLong();
    }
    return { results, nextCursor: null };
  }
  const { filter, page } = filtered;
  const exceptions = new Set(except);
  const ids = page.rows.map(({ id }) => id).filter((id) => !exceptions.has(id));
  for (const row of await readMatching(act.tx, ids, filter, act.nowMs)) {
    results.push(
      await attempt(results.length, async (note) => {
        note(row);
        if (operation !== 'delete')
          return { status: 200, isChanged: (await changeDevice(act, row, change)) !== row };
        await removeDevice(act, row);
        return { status: 204, isChanged: true };
      }),
    );
    await yieldIfLong();
  }
  return { results, nextCursor: page.nextCursor };
};
