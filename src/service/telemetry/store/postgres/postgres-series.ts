import { KINDS } from '../sample-columns.ts';
import type { PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import type { SeriesNames, SeriesPage, ServerSeries } from '../server-sample-reader.ts';
import type { SeriesCounts } from '../telemetry-store.ts';

export type PostgresSeries = ServerSeries & { readonly id: number };

export type SeriesRow = { id: number; device: string; metric: string; kind: number; unit: string | null };

const NAMED = 'device = any($1) and ($2::text[] is null or metric = any($2))';

const parametersOf = ([devices, metrics]: SeriesNames): unknown[] => [[...devices], metrics ?? null];

export const toSeries = ({ kind, ...row }: SeriesRow): PostgresSeries => ({ ...row, kind: KINDS[kind]! });

/** Series in the order of device and metric. */
export const selectSeries = async (pool: PostgresPool, ...names: SeriesNames): Promise<PostgresSeries[]> => {
  const { rows } = await pool.query<SeriesRow>(
    `select id, device, metric, kind, unit from telemetry_series where ${NAMED} order by device, metric`,
    parametersOf(names),
  );
  return rows.map(toSeries);
};

/** At most `limit` series, from a position on, or after it. */
export const selectSomeSeries = async (
  pool: PostgresPool,
  names: SeriesNames,
  { device, metric, isAfter, limit }: SeriesPage,
): Promise<PostgresSeries[]> => {
  const { rows } = await pool.query<SeriesRow>(
    `select id, device, metric, kind, unit from telemetry_series
     where ${NAMED} and (device, metric) ${isAfter ? '>' : '>='} ($3, $4) order by device, metric limit $5`,
    [...parametersOf(names), device, metric, limit],
  );
  return rows.map(toSeries);
};

export const countSeries = async (pool: PostgresPool, ...names: SeriesNames): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*) from telemetry_series where ${NAMED}`,
    parametersOf(names),
  );
  return rows[0]?.count ?? 0;
};

export const countSeriesByDevice = async (
  pool: PostgresPool,
  ...names: SeriesNames
): Promise<SeriesCounts> => {
  const { rows } = await pool.query<{ device: string; count: number }>(
    `select device, count(*) from telemetry_series where ${NAMED} group by device`,
    parametersOf(names),
  );
  const metrics = await pool.query<{ count: number }>(
    `select count(distinct metric) from telemetry_series where ${NAMED}`,
    parametersOf(names),
  );
  const counts = new Map(rows.map(({ device, count }) => [device, count]));
  return {
    byDevice: Uint32Array.from(names[0], (device) => counts.get(device) ?? 0),
    metrics: metrics.rows[0]?.count ?? 0,
  };
};
