import { externalIdSchema } from '#contract/devices.ts';
import { findByExternalIds, findByIds } from '../../devices/device-store.ts';
import type { Db } from '../../platform/storage/database.ts';

/** Limits the queries for one message. Messages that people preview have fewer texts. */
const MAX_TEXTS = 200;

const parseJson = (message: string): unknown => {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
};

/** The texts in a JSON message that can be the ID of a device, or its external ID. */
const listNames = (message: string): string[] => {
  const names = new Set<string>();
  const open: unknown[] = [parseJson(message)];
  while (open.length > 0 && names.size < MAX_TEXTS) {
    const value = open.pop();
    if (typeof value === 'string' && externalIdSchema.safeParse(value).success) names.add(value);
    else if (typeof value === 'object' && value !== null) open.push(...Object.values(value).toReversed());
  }
  return [...names];
};

/** Finds the texts of a message that are the ID of a registered device, or its external ID. */
export const findRegistered = async (db: Db, message: string): Promise<string[]> => {
  const names = listNames(message);
  const rows = [...(await findByExternalIds(db, names)), ...(await findByIds(db, names))];
  const known = new Set(rows.flatMap((row) => (row.deleted_at === null ? [row.id, row.external_id] : [])));
  return names.filter((name) => known.has(name));
};
