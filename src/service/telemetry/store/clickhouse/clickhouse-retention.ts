import type { ClickHouse } from './clickhouse-client.ts';
import { quoteText } from './clickhouse-literals.ts';
import { startMutation, waitForMutation } from './clickhouse-mutations.ts';
import type { RemovalDependencies } from './clickhouse-sample-removal.ts';
import { LAST_MONTH } from './clickhouse-schema.ts';
import { deleteEmptySeries } from './clickhouse-series.ts';

const DAY_MS = 86_400_000;

/** The months before a time, as they name partitions (202601). The last partition has no end. */
const findMonthsBefore = async (server: ClickHouse, table: string, toMs: number): Promise<number[]> => {
  const rows = await server.select(
    `select distinct partition from system.parts
     where active and database = currentDatabase() and table = ${quoteText(table)} order by partition`,
  );
  const months: number[] = [];
  while (rows.hasMore) months.push(Number(rows.text()));
  return months.filter(
    (month) => month < LAST_MONTH && Date.UTC(Math.floor(month / 100), month % 100) <= toMs,
  );
};

/** Removes the samples of a shard before a time. Returns whether there were any. */
const removeFromShard = async (
  toMs: number,
  server: ClickHouse,
  { shards, exclusively, closing }: RemovalDependencies,
): Promise<boolean> => {
  const { sample } = shards.tables;
  const months = await findMonthsBefore(server, sample, toMs);
  for (const month of months)
    await exclusively(() => server.run(`alter table ${sample} drop partition ${month}`));
  const condition = `ts < ${Math.floor(toMs / DAY_MS) * DAY_MS}`;
  const old = await server.select(`select 1 from ${sample} where ${condition} limit 1`);
  if (old.hasMore) await waitForMutation(await startMutation(server, sample, [condition]), closing);
  return months.length > 0 || old.hasMore;
};

/**
 * Drops the months before a time, and deletes the samples of earlier days from the month of that time, on each shard. A
 * mutation rewrites the month, so it runs once a day.
 */
export const removeOldSamples = async (toMs: number, dependencies: RemovalDependencies): Promise<void> => {
  const { shards, exclusively, onSeriesDeleted } = dependencies;
  for (const shard of await shards.choose())
    if (await removeFromShard(toMs, shard.server, dependencies))
      await exclusively(async () => {
        if ((await deleteEmptySeries(shard, shards.tables)) > 0) onSeriesDeleted();
      });
};
