import { HttpProblem } from '../../platform/http/http-problem.ts';
import type { Db } from '../../platform/storage/database.ts';

/** The devices of a query: by ID or external ID, by tags (all must match), or all. */
export type DeviceFilter = {
  readonly names?: readonly string[] | undefined;
  readonly tags?: readonly { readonly key: string; readonly value: string }[] | undefined;
};

const MAX_DEVICES = 10_000;

/**
 * The devices that match a filter: external IDs by ID. Unknown names are omitted. `only`: the IDs that the token is limited to.
 * @throws HttpProblem 422 for too many devices
 */
export const selectKnownDevices = async (
  db: Db,
  { names, tags = [] }: DeviceFilter,
  only: readonly string[] | null,
): Promise<Map<string, string>> => {
  let rows = db.selectFrom('device').select(['id', 'external_id']).where('deleted_at', 'is', null);
  if (only !== null) rows = rows.where('id', 'in', only.length === 0 ? [''] : only);
  if (names !== undefined)
    rows = rows.where((is) =>
      is.or([is('id', 'in', [...names, '']), is('external_id', 'in', [...names, ''])]),
    );
  for (const { key, value } of tags)
    rows = rows.where('id', 'in', (select) =>
      select.selectFrom('device_tag').select('device_id').where('key', '=', key).where('value', '=', value),
    );
  const found = await rows.limit(MAX_DEVICES + 1).execute();
  if (found.length > MAX_DEVICES)
    throw new HttpProblem(
      'query-too-large',
      `The query selects more than ${MAX_DEVICES} devices. Select fewer devices.`,
    );
  return new Map(found.map((row) => [row.id, row.external_id]));
};

/**
 * As `selectKnownDevices`, but without tags each name must be known.
 * @throws HttpProblem 404 for a device that does not exist or that the token cannot access; 422 for too many
 */
export const selectDevices = async (
  db: Db,
  filter: DeviceFilter,
  only: readonly string[] | null,
): Promise<Map<string, string>> => {
  const { names = [], tags = [] } = filter;
  const found = await selectKnownDevices(db, filter, only);
  const known = new Set([...found].flat());
  const missing = tags.length > 0 ? [] : names.filter((name) => !known.has(name));
  if (missing.length > 0)
    throw new HttpProblem(
      'not-found',
      `There is no device ${missing.slice(0, 3).join(', ')}. It may have been deleted, or this token cannot access it.`,
    );
  return found;
};
