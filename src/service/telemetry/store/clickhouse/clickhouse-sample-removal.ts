import { setTimeout as delay } from 'node:timers/promises';
import { clampTime } from '../clamp-time.ts';
import type { Selection } from '../telemetry-store.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import { idList } from './clickhouse-literals.ts';
import { deleteEmptySeries, selectSeries, type ClickHouseSeries } from './clickhouse-series.ts';

/** Series that one mutation names at most: the server keeps its text. */
const SERIES_PER_MUTATION = 5_000;
const FIRST_CHECK_MS = 2;
const LAST_CHECK_MS = 1_000;

export type RemovalDependencies = {
  clickhouse: ClickHouse;
  /** Runs a step while no write runs. */
  exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  onSeriesDeleted: () => void;
};

const runningMutations = async (clickhouse: ClickHouse): Promise<string[]> => {
  const rows = await clickhouse.select(
    `select mutation_id from system.mutations
     where database = currentDatabase() and table = 'telemetry_sample' and is_done = 0`,
  );
  const ids: string[] = [];
  while (rows.hasMore) ids.push(rows.text());
  return ids;
};

/** Waits until the mutations that run now are done. They do not affect later samples. */
export const waitForMutations = async (clickhouse: ClickHouse): Promise<void> => {
  let waiting = new Set(await runningMutations(clickhouse));
  for (let waitMs = FIRST_CHECK_MS; waiting.size > 0; waitMs = Math.min(2 * waitMs, LAST_CHECK_MS)) {
    await delay(waitMs);
    const running = await runningMutations(clickhouse);
    waiting = new Set(running.filter((id) => waiting.has(id)));
  }
};

/** Deletes the samples that are stored now. Returns their number. */
const startRemoval = async (
  clickhouse: ClickHouse,
  series: readonly ClickHouseSeries[],
  { fromMs, toMs }: Selection,
): Promise<number> => {
  let total = 0;
  for (let i = 0; i < series.length; i += SERIES_PER_MUTATION) {
    const ids = idList(series.slice(i, i + SERIES_PER_MUTATION));
    const condition = `series in ${ids} and ts >= ${clampTime(fromMs)} and ts < ${clampTime(toMs)}`;
    const rows = await clickhouse.select(
      `select toInt64(count()) from telemetry_sample final where ${condition}`,
    );
    const count = rows.int64();
    // A mutation reads every part of the table.
    if (count > 0) await clickhouse.run(`alter table telemetry_sample delete where ${condition}`);
    total += count;
  }
  return total;
};

/** Deletes samples by a mutation, and then series that have none left. Returns the number of deleted samples. */
export const removeSamples = async (
  selection: Selection,
  { clickhouse, exclusively, onSeriesDeleted }: RemovalDependencies,
): Promise<number> => {
  if (selection.fromMs >= selection.toMs) return 0;
  let series: readonly ClickHouseSeries[] = [];
  const total = await exclusively(async () => {
    // After the writes that came before the removal.
    series = await selectSeries(clickhouse, selection.devices, selection.metrics);
    return startRemoval(clickhouse, series, selection);
  });
  if (total > 0) await waitForMutations(clickhouse);
  if (series.length > 0)
    await exclusively(async () => {
      if ((await deleteEmptySeries(clickhouse, series)) > 0) onSeriesDeleted();
    });
  return total;
};
