import { createYield } from '../../../platform/event-loop.ts';
import { KIND } from '../sample-columns.ts';
import { OUTCOME, type WriteBatch, type WriteResult } from '../telemetry-store.ts';
import { kindsOf } from '../wanted-series.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import type { ClickHouseSeriesCache } from './clickhouse-series-cache.ts';
import { RowWriter } from './row-binary.ts';

/**
 * Writes batches in one insert, and returns the outcome of each sample. A sample that replaces another, or repeats it,
 * is accepted: ClickHouse would have to read what is stored. Of samples of one time, the last one counts.
 */
export const writeSamples = async (
  clickhouse: ClickHouse,
  series: ClickHouseSeriesCache,
  batches: readonly WriteBatch[],
  generation: number,
): Promise<WriteResult[]> => {
  const found = await series.resolve(batches, generation);
  const rows = new RowWriter();
  const yieldIfLong = createYield();
  const results: WriteResult[] = [];
  for (const [b, batch] of batches.entries()) {
    await yieldIfLong();
    const { index, ts, cells, texts } = batch;
    const outcome = new Uint8Array(index.length).fill(OUTCOME.accepted);
    for (let i = 0; i < index.length; i += 1) {
      const kind = batch.series.kind[index[i]!]!;
      const known = found[b]![index[i]!];
      if (known == null) outcome[i] = OUTCOME.metricLimit;
      else if (known.kind !== kind) outcome[i] = OUTCOME.kindMismatch;
      else {
        rows.uint64(known.id).int64(ts[i]!);
        // JSON, because texts may hold lone surrogates, which UTF-8 cannot encode.
        if (kind === KIND.string) rows.float64(0).text(JSON.stringify(texts[cells[i]!]!));
        else rows.float64(cells[i]!).text('');
      }
    }
    results.push({ outcome, kinds: kindsOf(batch.series, found[b]!) });
  }
  const bytes = rows.bytes();
  if (bytes.length > 0) await clickhouse.insert('telemetry_sample (series, ts, value, text)', bytes);
  return results;
};
