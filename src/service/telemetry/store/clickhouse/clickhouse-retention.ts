import type { ClickHouse } from './clickhouse-client.ts';
import { waitForMutations, type RemovalDependencies } from './clickhouse-sample-removal.ts';
import { LAST_MONTH } from './clickhouse-schema.ts';
import { deleteEmptySeries } from './clickhouse-series.ts';

const DAY_MS = 86_400_000;

/** The months before a time, as they name partitions (202601). The last partition has no end. */
const findMonthsBefore = async (clickhouse: ClickHouse, toMs: number): Promise<number[]> => {
  const rows = await clickhouse.select(
    `select distinct partition from system.parts
     where active and database = currentDatabase() and table = 'telemetry_sample' order by partition`,
  );
  const months: number[] = [];
  while (rows.hasMore) months.push(Number(rows.text()));
  return months.filter(
    (month) => month < LAST_MONTH && Date.UTC(Math.floor(month / 100), month % 100) <= toMs,
  );
};

/**
 * Drops the months before a time, and deletes the samples of earlier days from the month of that time: a mutation rewrites the
 * month, so that it runs once a day.
 */
export const removeOldSamples = async (
  toMs: number,
  { clickhouse, exclusively, onSeriesDeleted }: RemovalDependencies,
): Promise<void> => {
  const months = await findMonthsBefore(clickhouse, toMs);
  for (const month of months)
    await exclusively(() => clickhouse.run(`alter table telemetry_sample drop partition ${month}`));
  const condition = `ts < ${Math.floor(toMs / DAY_MS) * DAY_MS}`;
  const old = await clickhouse.select(`select 1 from telemetry_sample where ${condition} limit 1`);
  if (old.hasMore) {
    await clickhouse.run(`alter table telemetry_sample delete where ${condition}`);
    await waitForMutations(clickhouse);
  }
  if (months.length === 0 && !old.hasMore) return;
  await exclusively(async () => {
    if ((await deleteEmptySeries(clickhouse)) > 0) onSeriesDeleted();
  });
};
