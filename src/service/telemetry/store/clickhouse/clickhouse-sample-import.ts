import type { ImportedSeries } from '../imported-series.ts';
import { KIND } from '../sample-columns.ts';
import { seriesKeyOf, type WantedSeries } from '../wanted-series.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import { ClickHouseSampleTables } from './clickhouse-sample-tables.ts';
import { findWanted, saveSeries, toNewSeries } from './clickhouse-series.ts';
import { RowWriter } from './row-binary.ts';

const toWanted = ({ device, metric, kind, unit }: ImportedSeries): WantedSeries => ({
  device,
  metric,
  kind: KIND[kind],
  unit,
});

const writeRows = (rows: RowWriter, all: ImportedSeries): void => {
  const { id } = toNewSeries(toWanted(all));
  const { ts, value, kind } = all;
  for (let i = 0; i < ts.length; i += 1) {
    rows.uint64(id).int64(ts[i]!);
    // In the same columns as `writeSamples`.
    if (kind === 'string') rows.float64(0).text(JSON.stringify(value[i]));
    else rows.float64(Number(value[i])).text('');
  }
};

/** Only the first and the last series of a batch may be a part of a long series. */
const toGroups = (all: readonly ImportedSeries[]): (readonly ImportedSeries[])[] =>
  [all.slice(0, 1), all.slice(1, -1), all.slice(1).slice(-1)].filter((group) => group.length > 0);

const rangeOf = (group: readonly ImportedSeries[]) => ({
  devices: [],
  fromMs: group.reduce((least, { ts }) => Math.min(least, ts[0]!), Infinity),
  toMs: group.reduce((greatest, { ts }) => Math.max(greatest, ts.at(-1)!), -Infinity) + 1,
});

/**
 * Writes samples of another store, and reads them back. The tables must exist (`createTelemetryTables`), and no service
 * may use them. A repeated insert changes nothing.
 */
export const createClickHouseSampleImport = (clickhouse: ClickHouse) => {
  const tables = new ClickHouseSampleTables(clickhouse);
  const readCount = async (from: string): Promise<number> =>
    (await clickhouse.select(`select toInt64(count()) from ${from}`)).int64();
  return {
    insert: async (all: readonly ImportedSeries[]): Promise<void> => {
      await saveSeries(
        clickhouse,
        all.map((series) => toNewSeries(toWanted(series))),
        { isDeleted: false },
      );
      const rows = new RowWriter();
      for (const series of all) writeRows(rows, series);
      await clickhouse.insert('telemetry_sample (series, ts, value, text)', rows.bytes());
    },
    /** Reads the samples from the first to the last time of each given series, by its ID in the other store. */
    read: async (all: readonly ImportedSeries[]): Promise<Map<number, ImportedSeries>> => {
      const read = new Map<number, ImportedSeries>();
      if (all.length === 0) return read;
      const found = await findWanted(clickhouse, all.map(toWanted));
      const byName = new Map(found.map((series) => [seriesKeyOf(series), series]));
      for (const group of toGroups(all)) {
        const known = group.flatMap((series) => {
          const stored = byName.get(seriesKeyOf(series));
          return stored === undefined ? [] : [{ id: series.id, stored }];
        });
        const samples = await tables.readRaw(
          known.map(({ stored }) => stored),
          rangeOf(group),
        );
        for (const [i, { id }] of known.entries()) {
          const { device, metric, kind, unit, ts, value } = samples[i]!;
          read.set(id, { id, device, metric, kind, unit, ts, value: value ?? [] });
        }
      }
      return read;
    },
    /** Counts all series and samples. */
    count: async () => ({
      series: await readCount('telemetry_series final where is_deleted = 0'),
      samples: await readCount('telemetry_sample final'),
    }),
  };
};
