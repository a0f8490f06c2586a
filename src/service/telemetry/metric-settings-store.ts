import type { MetricChange, MetricSettings } from '#contract/metrics.ts';
import { foldCase } from '#contract/fold-case.ts';
import type { Db } from '../platform/storage/database.ts';
import { slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';

/** The settings of a metric, for a device or for all devices of a type. Columns that are null are automatic. */
type MetricSettingsTable = {
  /** A device ID, or `type:` and the folded type. */
  owner: string;
  /** Null for a type. */
  device_id: string | null;
  metric: string;
  label: string | null;
  unit: string | null;
  decimals: number | null;
  metric_type: string | null;
  revision: number;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    metric_settings: MetricSettingsTable;
  }
}

/** Whose metric it is. */
export type MetricOwner = { readonly device: string } | { readonly deviceType: string };

export const NO_SETTINGS: MetricSettings = { label: null, unit: null, decimals: null, metricType: null };

const TYPE_PREFIX = 'type:';
const keyOf = (owner: MetricOwner): string =>
  'device' in owner ? owner.device : TYPE_PREFIX + foldCase(owner.deviceType);

const settingsOf = ({ label, unit, decimals, metric_type }: MetricSettingsTable): MetricSettings => ({
  label,
  unit,
  decimals,
  metricType: metric_type === 'gauge' || metric_type === 'counter' ? metric_type : null,
});

export type StoredSettings = { readonly settings: MetricSettings; readonly revision: number };

/** Revision 0: nothing was ever set. */
export const findMetricSettings = async (
  db: Db,
  owner: MetricOwner,
  metric: string,
): Promise<StoredSettings> => {
  const row = await db
    .selectFrom('metric_settings')
    .selectAll()
    .where('owner', '=', keyOf(owner))
    .where('metric', '=', metric)
    .executeTakeFirst();
  return row === undefined
    ? { settings: NO_SETTINGS, revision: 0 }
    : { settings: settingsOf(row), revision: row.revision };
};

/** The fields of a change that differ from the settings. */
export const changedSettings = (settings: MetricSettings, change: MetricChange): Partial<MetricSettings> =>
  Object.fromEntries(
    Object.entries(change).filter(
      ([name, value]) => value !== undefined && value !== settings[name as keyof MetricSettings],
    ),
  );

/** Merges a change into the settings that a transaction has read. */
export const changeMetricSettings = async (
  tx: Db,
  { owner, metric, before }: { owner: MetricOwner; metric: string; before: StoredSettings },
  changed: Partial<MetricSettings>,
): Promise<StoredSettings> => {
  const settings: MetricSettings = { ...before.settings, ...changed };
  const { metricType, ...columns } = settings;
  const revision = before.revision + 1;
  const values = { ...columns, metric_type: metricType, revision };
  await tx
    .insertInto('metric_settings')
    .values({
      owner: keyOf(owner),
      device_id: 'device' in owner ? owner.device : null,
      metric,
      ...values,
    })
    .onConflict((conflict) => conflict.columns(['owner', 'metric']).doUpdateSet(values))
    .execute();
  return { settings, revision };
};

/** The settings of a metric of a device: those of its type, and its own, which override them. */
export type SettingsOf = (
  device: string,
  metric: string,
) => { readonly ofType: MetricSettings; readonly ofDevice: MetricSettings };

/** Loads the settings of all metrics of these devices. */
export const loadMetricSettings = async (db: Db, devices: readonly string[]): Promise<SettingsOf> => {
  const typeOf = new Map<string, string>();
  for (const some of slicesOf(devices, VALUES_PER_QUERY)) {
    const rows = await db.selectFrom('device').select(['id', 'type']).where('id', 'in', some).execute();
    for (const { id, type } of rows) if (type !== '') typeOf.set(id, keyOf({ deviceType: type }));
  }
  // Types and metrics may contain any visible character.
  const keyOfRow = (owner: string | undefined, metric: string) => `${owner}\0${metric}`;
  const stored = new Map<string, MetricSettings>();
  for (const some of slicesOf([...devices, ...new Set(typeOf.values())], VALUES_PER_QUERY)) {
    const rows = await db.selectFrom('metric_settings').selectAll().where('owner', 'in', some).execute();
    for (const row of rows) stored.set(keyOfRow(row.owner, row.metric), settingsOf(row));
  }
  return (device, metric) => ({
    ofType: stored.get(keyOfRow(typeOf.get(device), metric)) ?? NO_SETTINGS,
    ofDevice: stored.get(keyOfRow(device, metric)) ?? NO_SETTINGS,
  });
};
