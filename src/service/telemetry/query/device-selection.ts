import type { DeviceFilter } from '#contract/device-filter.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import type { Reader } from '../../devices/device-conditions.ts';
import { matchingDevices } from '../../devices/matching-devices.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import type { Db } from '../../platform/storage/database.ts';

/** The devices of a query: those named by ID or external ID, and those that match the filter. Without both, all. */
export type DeviceSelection = {
  readonly names?: readonly string[] | undefined;
  readonly filter?: DeviceFilter | undefined;
};

/** The parameters of a query that filter devices; undefined if there are none. An empty search does not filter. */
export const filterOf = ({
  q: search,
  state,
  type,
  tag,
  silentFor,
  withoutTag,
}: DeviceFilter): DeviceFilter | undefined => {
  const q = search === '' ? undefined : search;
  const filter = { q, state, type, tag, silentFor, withoutTag };
  return Object.values(filter).every((field) => field === undefined) ? undefined : filter;
};

/** The named devices that exist: external IDs by ID. `only`: the IDs that the token is limited to. */
export const selectNamedDevices = async (
  db: Db,
  names: readonly string[],
  only: readonly string[] | null,
): Promise<Map<string, string>> => {
  let rows = db.selectFrom('device').select(['id', 'external_id']).where('deleted_at', 'is', null);
  if (only !== null) rows = rows.where('id', 'in', only.length === 0 ? [''] : only);
  const found = await rows
    .where((is) => is.or([is('id', 'in', [...names, '']), is('external_id', 'in', [...names, ''])]))
    .execute();
  return new Map(found.map((row) => [row.id, row.external_id]));
};

/**
 * The devices of a selection: external IDs by ID.
 * @throws HttpProblem 404 for a named device that does not exist or that the token cannot access; 422 for too many
 */
export const selectDevices = async (
  db: Db,
  { names, filter }: DeviceSelection,
  reader: Reader,
): Promise<Map<string, string>> => {
  const selected = await selectNamedDevices(db, names ?? [], reader.only);
  const known = new Set([...selected].flat());
  const missing = (names ?? []).filter((name) => !known.has(name));
  if (missing.length > 0)
    throw new HttpProblem(
      'not-found',
      `There is no device ${missing.slice(0, 3).join(', ')}. It may have been deleted, or this token cannot access it.`,
    );
  if (names !== undefined && filter === undefined) return selected;
  for await (const devices of matchingDevices(db, filter ?? {}, reader)) {
    for (const { id, external_id } of devices) selected.set(id, external_id);
    if (selected.size > LIMITS.devicesPerQuery)
      throw new HttpProblem(
        'query-too-large',
        `The query selects more than ${LIMITS.devicesPerQuery} devices. Select fewer devices.`,
      );
  }
  return selected;
};
