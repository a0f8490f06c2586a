import { createHash } from 'node:crypto';
import { KIND, KINDS } from '../sample-columns.ts';
import type { SeriesNames, SeriesPage, ServerSeries } from '../server-sample-reader.ts';
import type { SeriesCounts } from '../telemetry-store.ts';
import { seriesKeyOf, type WantedSeries } from '../wanted-series.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import type { ClickHouseShards, Shard } from './clickhouse-cluster.ts';
import { idList, quoteText, textList } from './clickhouse-literals.ts';
import { RowWriter, type RowReader } from './row-binary.ts';

export type ClickHouseSeries = ServerSeries & { readonly id: bigint };

/** What the table of series says of a series. `kind` is a position in KINDS. */
type SeriesRow = WantedSeries & { readonly id: bigint };

const COLUMNS = 'id, device, metric, kind, unit';

/** The latest row of each series. */
const EXISTING = 'telemetry_series final where is_deleted = 0';

const named = ([devices, metrics]: SeriesNames): string =>
  `device in ${textList(devices)}${metrics === undefined ? '' : ` and metric in ${textList(metrics)}`}`;

/** The ID of a series: the same in every process, because ClickHouse has no sequences. 64 bits of SHA-256. */
const seriesIdOf = ({ device, metric, kind }: Omit<WantedSeries, 'unit'>): bigint =>
  createHash('sha256')
    .update(`${seriesKeyOf({ device, metric })}\0${kind}`)
    .digest()
    .readBigUInt64LE();

const readRows = (rows: RowReader): SeriesRow[] => {
  const found: SeriesRow[] = [];
  while (rows.hasMore)
    found.push({
      id: rows.uint64(),
      device: rows.text(),
      metric: rows.text(),
      kind: rows.uint8(),
      unit: rows.nullableText(),
    });
  return found;
};

/** A series to create. */
export const toNewSeries = (wanted: WantedSeries): ClickHouseSeries =>
  toSeries({ ...wanted, id: seriesIdOf(wanted) });

const toSeries = ({ kind, ...row }: SeriesRow): ClickHouseSeries => ({ ...row, kind: KINDS[kind]! });

/** Series in the order of device and metric. */
export const selectSeries = async (
  clickhouse: ClickHouse,
  ...names: SeriesNames
): Promise<ClickHouseSeries[]> => {
  const query = `select ${COLUMNS} from ${EXISTING} and ${named(names)} order by device, metric`;
  return readRows(await clickhouse.select(query)).map(toSeries);
};

/** At most `limit` series, from a position on, or after it. */
export const selectSomeSeries = async (
  clickhouse: ClickHouse,
  names: SeriesNames,
  { device, metric, isAfter, limit }: SeriesPage,
): Promise<ClickHouseSeries[]> => {
  const [from, text] = [quoteText(device), quoteText(metric)];
  const position = `(device > ${from} or device = ${from} and metric ${isAfter ? '>' : '>='} ${text})`;
  const query = `select ${COLUMNS} from ${EXISTING} and ${named(names)} and ${position} order by device, metric limit ${limit}`;
  return readRows(await clickhouse.select(query)).map(toSeries);
};

export const countSeries = async (clickhouse: ClickHouse, ...names: SeriesNames): Promise<number> =>
  (await clickhouse.select(`select toInt64(count()) from ${EXISTING} and ${named(names)}`)).int64();

/** The number of series of each device that has one. */
export const countByDevice = async (
  clickhouse: ClickHouse,
  ...names: SeriesNames
): Promise<Map<string, number>> => {
  const rows = await clickhouse.select(
    `select device, toInt64(count()) from ${EXISTING} and ${named(names)} group by device`,
  );
  const counts = new Map<string, number>();
  while (rows.hasMore) counts.set(rows.text(), rows.int64());
  return counts;
};

export const countSeriesByDevice = async (
  clickhouse: ClickHouse,
  ...names: SeriesNames
): Promise<SeriesCounts> => {
  const counts = await countByDevice(clickhouse, ...names);
  const metrics = await clickhouse.select(
    `select toInt64(uniqExact(metric)) from ${EXISTING} and ${named(names)}`,
  );
  return {
    byDevice: Uint32Array.from(names[0], (device) => counts.get(device) ?? 0),
    metrics: metrics.int64(),
  };
};

/** Saves that series exist, or no longer do: a later row replaces an earlier one. */
export const saveSeries = async (
  clickhouse: ClickHouse,
  all: readonly ClickHouseSeries[],
  { isDeleted, table = 'telemetry_series' }: { isDeleted: boolean; table?: string },
): Promise<void> => {
  const rows = new RowWriter();
  for (const { id, device, metric, kind, unit } of all)
    rows
      .uint64(id)
      .text(device)
      .text(metric)
      .uint8(KIND[kind])
      .nullableText(unit)
      .uint8(isDeleted ? 1 : 0);
  await clickhouse.insert(`${table} (${COLUMNS}, is_deleted)`, rows.bytes());
};

/** Finds the wanted series that exist. */
export const findWanted = async (
  clickhouse: ClickHouse,
  wanted: readonly WantedSeries[],
): Promise<ClickHouseSeries[]> => {
  const devices = textList([...new Set(wanted.map(({ device }) => device))]);
  const metrics = textList([...new Set(wanted.map(({ metric }) => metric))]);
  const query = `select ${COLUMNS} from ${EXISTING} and device in ${devices} and metric in ${metrics}`;
  return readRows(await clickhouse.select(query)).map(toSeries);
};

/**
 * Deletes series without samples from a shard, among the given series or all. Returns their number. Must run while no
 * write runs.
 */
export const deleteEmptySeries = async (
  { server, isReplicated }: Shard,
  { sample, series }: ClickHouseShards['tables'],
  among?: readonly ClickHouseSeries[],
): Promise<number> => {
  // A replica that lacks the latest samples would delete a series that has samples.
  if (isReplicated) for (const table of [series, sample]) await server.run(`system sync replica ${table}`);
  const [given, filled] =
    among === undefined ? ['', ''] : [` and id in ${idList(among)}`, ` where series in ${idList(among)}`];
  const rows = await server.select(
    `select ${COLUMNS} from ${series} final
     where is_deleted = 0${given} and id not in (select distinct series from ${sample}${filled})`,
  );
  const empty = readRows(rows).map(toSeries);
  if (empty.length > 0) await saveSeries(server, empty, { isDeleted: true, table: series });
  return empty.length;
};
