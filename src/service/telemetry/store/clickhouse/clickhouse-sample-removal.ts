import { clampTime } from '../clamp-time.ts';
import type { Selection } from '../telemetry-store.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import type { ClickHouseShards, Shard } from './clickhouse-cluster.ts';
import { idList } from './clickhouse-literals.ts';
import { startMutation, waitForMutation, type RunningMutation } from './clickhouse-mutations.ts';
import { deleteEmptySeries, selectSeries, type ClickHouseSeries } from './clickhouse-series.ts';

/** Series that one mutation names at most: the server keeps its text. */
const SERIES_PER_MUTATION = 5_000;

export type RemovalDependencies = {
  clickhouse: ClickHouse;
  shards: ClickHouseShards;
  /** Runs a step while no write runs. */
  exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  onSeriesDeleted: () => void;
  /** Aborted when the store no longer waits for removals. */
  closing: AbortSignal;
};

type Removal = { readonly samples: number; readonly mutation: RunningMutation | undefined };

/** Begins to delete the samples of a server that are stored now. */
const startRemoval = async (
  server: ClickHouse,
  table: string,
  series: readonly ClickHouseSeries[],
  { fromMs, toMs }: Selection,
): Promise<Removal> => {
  let samples = 0;
  const conditions: string[] = [];
  for (let i = 0; i < series.length; i += SERIES_PER_MUTATION) {
    const ids = idList(series.slice(i, i + SERIES_PER_MUTATION));
    const condition = `series in ${ids} and ts >= ${clampTime(fromMs)} and ts < ${clampTime(toMs)}`;
    const rows = await server.select(`select toInt64(count()) from ${table} final where ${condition}`);
    const count = rows.int64();
    // A mutation reads every part of the table.
    if (count > 0) conditions.push(condition);
    samples += count;
  }
  return {
    samples,
    mutation: samples === 0 ? undefined : await startMutation(server, table, conditions),
  };
};

/**
 * Deletes samples by a mutation on each shard, and then series that have none left. Returns the number of deleted
 * samples.
 */
export const removeSamples = async (
  selection: Selection,
  { clickhouse, shards, exclusively, onSeriesDeleted, closing }: RemovalDependencies,
): Promise<number> => {
  if (selection.fromMs >= selection.toMs) return 0;
  const { tables } = shards;
  let chosen: readonly Shard[] = [];
  let series: readonly ClickHouseSeries[] = [];
  const removals = await exclusively(async () => {
    // After the writes that came before the removal.
    chosen = await shards.choose();
    series = await selectSeries(clickhouse, selection.devices, selection.metrics);
    return Promise.all(chosen.map(({ server }) => startRemoval(server, tables.sample, series, selection)));
  });
  const mutations = removals.flatMap(({ mutation }) => mutation ?? []);
  await Promise.all(mutations.map((mutation) => waitForMutation(mutation, closing)));
  if (series.length > 0)
    await exclusively(async () => {
      const deleted = await Promise.all(chosen.map((shard) => deleteEmptySeries(shard, tables, series)));
      if (deleted.some((count) => count > 0)) onSeriesDeleted();
    });
  return removals.reduce((sum, { samples }) => sum + samples, 0);
};
