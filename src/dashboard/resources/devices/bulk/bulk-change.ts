import {
  devicesApi,
  type DeviceBatch,
  type DeviceBatchAnswer,
  type DeviceChange,
} from '#contract/devices.ts';
import { call } from '../../../api/client.ts';

export type Filter = NonNullable<DeviceBatch['filter']>;

/** The devices to change: these, or all that match a filter except these. */
export type BulkTarget =
  | { ids: readonly string[] }
  | { filter: Filter; except: readonly string[]; cursor?: string };

export type BulkChange =
  | { operation: 'update'; change: Omit<DeviceChange, 'externalId'> }
  /** `restore` takes IDs only: the list does not show deleted devices. */
  | { operation: 'delete' | 'restore' };

export type BatchResult = DeviceBatchAnswer['results'][number];

/** Below the limit of a batch's body (1 MiB), as each item repeats the change. */
const MAX_BODY_BYTES = 900_000;

const itemsOf = (ids: readonly string[], change: BulkChange, limit: number) => {
  const items = ids
    .slice(0, limit)
    .map((id) => (change.operation === 'update' ? { id, ...change.change } : { id }));
  const itemBytes = new TextEncoder().encode(JSON.stringify(items[0])).length + 1;
  return items.slice(0, Math.max(1, Math.floor(MAX_BODY_BYTES / itemBytes)));
};

/** Changes at most `limit` next devices of a target. `rest` is the remaining target; null after the last device. */
export const changeNext = async (
  target: BulkTarget,
  change: BulkChange,
  limit: number,
): Promise<{ results: BatchResult[]; rest: BulkTarget | null }> => {
  if ('ids' in target) {
    const items = itemsOf(target.ids, change, limit);
    const { results } = await call(devicesApi.batch, { body: { operation: change.operation, items } });
    const named = results.map((result) => ({ ...result, id: result.id ?? target.ids[result.index] ?? null }));
    const ids = target.ids.slice(items.length);
    return { results: named, rest: ids.length === 0 ? null : { ids } };
  }
  const { except, ...query } = target;
  const { results, nextCursor } = await call(devicesApi.batch, {
    body: { ...query, ...change, limit, ...(except.length > 0 && { except: [...except] }) },
  });
  return { results, rest: nextCursor === null ? null : { ...target, cursor: nextCursor } };
};
