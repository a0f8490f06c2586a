import type { MetricKind, Value } from '#contract/telemetry.ts';
import type { DatabaseSync } from '../storage/sqlite.ts';
import { OUTCOME, type SeriesKey, type WriteBatch, type WriteResult } from './telemetry-store.ts';

type Known = { id: number; kind: MetricKind };

const cellOf = (value: Value): number | string => (typeof value === 'boolean' ? Number(value) : value);

/** Writes batches into the sample table; to be called inside a transaction. */
export const createSampleWriter = (db: DatabaseSync) => {
  const find = db.prepare('SELECT id, kind FROM series WHERE device = ? AND metric = ?');
  const create = db.prepare('INSERT INTO series (device, metric, kind) VALUES (?, ?, ?)');
  const insert = db.prepare('INSERT INTO sample (series, ts, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const read = db.prepare('SELECT value FROM sample WHERE series = ? AND ts = ?');
  const overwrite = db.prepare('UPDATE sample SET value = ? WHERE series = ? AND ts = ?');
  const grow = db.prepare('UPDATE series SET samples = samples + ? WHERE id = ?');
  const known = new Map<string, Known>();

  const getSeries = ({ device, metric, kind }: SeriesKey): Known => {
    const name = `${device}\n${metric}`;
    let series = known.get(name);
    if (series !== undefined) return series;
    const row = find.get(device, metric) as Known | undefined;
    series = row ?? { id: Number(create.run(device, metric, kind).lastInsertRowid), kind };
    known.set(name, series);
    return series;
  };

  const put = (id: number, ts: number, cell: number | string): number => {
    if (insert.run(id, ts, cell).changes === 1) return OUTCOME.accepted;
    if (read.get(id, ts)?.['value'] === cell) return OUTCOME.duplicate;
    overwrite.run(cell, id, ts);
    return OUTCOME.overwritten;
  };

  return {
    write: ({ series, index, ts, value }: WriteBatch): WriteResult => {
      // A series is made for its first value, not for being named: a batch may name one and hold nothing of it.
      const used = new Map<number, Known>();
      for (const s of new Set(index)) {
        const key = series[s];
        if (key !== undefined) used.set(s, getSeries(key));
      }
      const outcome = new Uint8Array(index.length);
      const grown = new Map<number, number>();
      for (const [i, s] of index.entries()) {
        const { id, kind } = used.get(s)!;
        const what = kind === series[s]!.kind ? put(id, ts[i]!, cellOf(value[i]!)) : OUTCOME.kindMismatch;
        outcome[i] = what;
        if (what === OUTCOME.accepted) grown.set(id, (grown.get(id) ?? 0) + 1);
      }
      for (const [id, count] of grown) grow.run(count, id);
      return { outcome, kinds: series.map((key, s) => used.get(s)?.kind ?? key.kind) };
    },
    /** After a rollback or a removal the series may be others. */
    forget: (): void => known.clear(),
  };
};
