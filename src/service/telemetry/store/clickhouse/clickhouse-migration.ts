import { DatabaseUnavailable } from '../../../platform/storage/dialects/database-unavailable.ts';
import type { ClickHouse, ClickHouseServers } from './clickhouse-client.ts';
import { RowWriter } from './row-binary.ts';

/**
 * The progress of a migration into ClickHouse. `source`: the identity of the source; `rows`: the samples copied so far.
 */
export type ClickHouseMigration = {
  readonly source: string;
  /** The version of Penstock. */
  readonly penstock: string;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** The position after the copied samples, in JSON. */
  readonly position: string | null;
  readonly rows: number;
};

/** One row: the last inserted row counts. `finished_at` is -1 while the migration is unfinished. */
const CREATE = `create table if not exists data_migration (
  content String, source String, penstock String, started_at Int64, finished_at Int64, position String, rows Int64
) engine = ReplacingMergeTree order by content`;
const UNFINISHED = -1;

export const findMigration = async (server: ClickHouse): Promise<ClickHouseMigration | undefined> => {
  const tables = await server.select(
    `select name from system.tables where database = currentDatabase() and name = 'data_migration'`,
  );
  if (!tables.hasMore) return undefined;
  const rows = await server.select(
    'select source, penstock, started_at, finished_at, position, rows from data_migration final',
  );
  if (!rows.hasMore) return undefined;
  const [source, penstock, startedAt] = [rows.text(), rows.text(), rows.int64()];
  const [finishedAt, position, count] = [rows.int64(), rows.text(), rows.int64()];
  return {
    source,
    penstock,
    startedAt,
    finishedAt: finishedAt === UNFINISHED ? null : finishedAt,
    position: position === '' ? null : position,
    rows: count,
  };
};

export const saveMigration = async (
  server: ClickHouse,
  { source, penstock, startedAt, finishedAt, position, rows }: ClickHouseMigration,
): Promise<void> => {
  await server.run(CREATE);
  const row = new RowWriter()
    .text('telemetry')
    .text(source)
    .text(penstock)
    .int64(startedAt)
    .int64(finishedAt ?? UNFINISHED)
    .text(position ?? '')
    .int64(rows);
  await server.insert(
    'data_migration (content, source, penstock, started_at, finished_at, position, rows)',
    row.bytes(),
  );
};

/** Whether a server holds a migration that has not finished. Servers of a cluster that do not answer are left out. */
export const holdsUnfinishedMigration = async (clickhouse: ClickHouseServers): Promise<boolean> => {
  for (const server of clickhouse.list())
    try {
      const record = await findMigration(server);
      if (record !== undefined && record.finishedAt === null) return true;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
  return false;
};
