import { foldCase } from '#contract/fold-case.ts';
import { findByIds, type DeviceRow } from '../devices/device-store.ts';
import { notFound } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import { VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import type { TelemetryStore } from './store/telemetry-store.ts';

type Parts = { db: Db; telemetry: Pick<TelemetryStore, 'countSeries'> };
/** A metric of all devices of a type. `only`: the IDs that the token is limited to; null: all. */
type TypeMetric = { deviceType: string; metric: string; only: readonly string[] | null };
type TypedDevice = Pick<DeviceRow, 'id' | 'type'>;

/** The devices of a type whatever its case, those of the most frequent spelling first. */
async function* devicesOfType(
  db: Db,
  { deviceType, only }: TypeMetric,
): AsyncGenerator<readonly TypedDevice[]> {
  const key = foldCase(deviceType);
  if (only !== null) {
    const visible = await findByIds(db, only);
    yield visible.filter((row) => row.type_key === key && row.deleted_at === null);
    return;
  }
  const spellings = await db
    .selectFrom('device_facet')
    .select('value')
    .where('name', '=', 'type')
    .where('value_key', '=', key)
    .orderBy('total', 'desc')
    .orderBy('value')
    .execute();
  for (const { value } of spellings)
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: readonly TypedDevice[] = await db
        .selectFrom('device')
        .select(['id', 'type'])
        .where('type', '=', value)
        .where('deleted_at', 'is', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(VALUES_PER_QUERY)
        .execute();
      yield rows;
      after = rows.length < VALUES_PER_QUERY ? undefined : rows.at(-1)?.id;
    }
}

/**
 * Returns the spelling of the type.
 * @throws HttpProblem 404 if the token can access no device of the type, or none of them has the metric
 */
export const requireTypeMetric = async ({ db, telemetry }: Parts, wanted: TypeMetric): Promise<string> => {
  let spelling: string | undefined;
  for await (const devices of devicesOfType(db, wanted)) {
    spelling ??= devices[0]?.type;
    const ids = devices.map(({ id }) => id);
    if (ids.length > 0 && (await telemetry.countSeries(ids, [wanted.metric])) > 0) return spelling ?? '';
  }
  throw notFound(spelling === undefined ? 'device type' : 'metric');
};
