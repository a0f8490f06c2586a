import type { Overwrite } from '#contract/overwrites.ts';
import type { Value } from '#contract/telemetry.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { OverwrittenSeries } from '../../telemetry/write/write-summary.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

/** Recently overwritten samples of one metric of one device. The device may be deleted. */
type OverwriteTable = {
  pipeline_id: string;
  device_id: string;
  metric: string;
  value_count: number;
  first_at: number;
  last_at: number;
  /** The timestamp of the latest overwritten sample, and its values as JSON; null: unknown. */
  ts: number;
  value_before: string | null;
  value_after: string;
};

declare module '../../platform/storage/database.ts' {
  interface Schema {
    overwrite: OverwriteTable;
  }
}

/** Series kept per pipeline, and series recorded per write: the latest ones. */
const MAX_SERIES = 50;
const MAX_SERIES_PER_WRITE = 20;

/** Records the series of a pipeline with overwritten samples, and deletes the oldest above the limit. */
export const recordOverwrites = async (
  db: Db,
  pipelineId: string,
  overwrites: readonly OverwrittenSeries[],
  atMs: number,
): Promise<void> => {
  if (overwrites.length === 0) return;
  for (const alike of [
    ...Map.groupBy(overwrites, ({ device, metric }) => `${device} ${metric}`).values(),
  ].slice(-MAX_SERIES_PER_WRITE)) {
    const { device, metric, ts, before, after } = alike.at(-1)!;
    const count = alike.reduce((sum, each) => sum + each.count, 0);
    const latest = {
      last_at: atMs,
      ts,
      value_before: before === undefined ? null : JSON.stringify(before),
      value_after: JSON.stringify(after),
    };
    await db
      .insertInto('overwrite')
      .values({
        pipeline_id: pipelineId,
        device_id: device,
        metric,
        value_count: count,
        first_at: atMs,
        ...latest,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['pipeline_id', 'device_id', 'metric'])
          .doUpdateSet((is) => ({ ...latest, value_count: is('overwrite.value_count', '+', count) })),
      )
      .execute();
  }
  const surplus = await latestFirst(db, pipelineId)
    .select(['device_id', 'metric'])
    .offset(MAX_SERIES)
    .limit(MAX_SERIES_PER_WRITE)
    .execute();
  for (const { device_id, metric } of surplus)
    await db
      .deleteFrom('overwrite')
      .where('pipeline_id', '=', pipelineId)
      .where('device_id', '=', device_id)
      .where('metric', '=', metric)
      .execute();
};

const latestFirst = (db: Db, pipelineId: string) =>
  db
    .selectFrom('overwrite')
    .where('pipeline_id', '=', pipelineId)
    .orderBy('last_at', 'desc')
    .orderBy('device_id')
    .orderBy('metric');

/** Lists the series of a pipeline with recently overwritten samples, without those of deleted devices. */
export const listOverwrites = async (db: Db, pipelineId: string): Promise<Overwrite[]> => {
  const rows = await latestFirst(db, pipelineId)
    .innerJoin('device', 'device.id', 'overwrite.device_id')
    .where('device.deleted_at', 'is', null)
    .selectAll('overwrite')
    .select('device.external_id')
    .execute();
  return rows.map((row) => ({
    device: row.device_id,
    externalId: row.external_id,
    metric: row.metric,
    count: row.value_count,
    firstAt: toIsoTime(row.first_at),
    lastAt: toIsoTime(row.last_at),
    ts: row.ts,
    before: row.value_before === null ? null : (JSON.parse(row.value_before) as Value),
    after: JSON.parse(row.value_after) as Value,
  }));
};

/** By pipeline, the samples of series that were overwritten after `afterMs`. */
export const countRecentOverwrites = (db: Db, afterMs: number) =>
  db
    .selectFrom('overwrite')
    .innerJoin('pipeline', 'pipeline.id', 'overwrite.pipeline_id')
    .select(({ fn }) => [
      'pipeline.id',
      'pipeline.name',
      fn.sum<number | string>('value_count').as('samples'),
      fn.count<number | string>('device_id').distinct().as('devices'),
      fn.min('first_at').as('first_at'),
      fn.max('last_at').as('last_at'),
    ])
    .where('last_at', '>', afterMs)
    .groupBy(['pipeline.id', 'pipeline.name'])
    .execute();
