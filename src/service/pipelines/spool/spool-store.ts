import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../platform/storage/database.ts';
import type { SpoolBatchTable } from './spool-batch-table.ts';
import { slicesOf, VALUES_PER_QUERY } from '../../platform/storage/slices.ts';
import { countSamples, type SpooledSamples } from '../destinations/destination.ts';

export type SpoolBatch = Selectable<SpoolBatchTable>;
type NewSpoolBatch = Insertable<SpoolBatchTable>;

/** The limits of a row, so that deliveries can be cut to the batch size of the destination. */
const SAMPLES_PER_ROW = 1_000;
const ROW_BYTES = 262_144;
const ROWS_PER_INSERT = 10;
/** The limits of one delivery, which is held in memory and retried as a whole. */
const DELIVERY = { rows: 500, bytes: 4 * 1_048_576 };

/** Samples of a pipeline as rows of the spool, in order, with their number and bytes. */
export const spoolBatches = (
  pipelineId: string,
  samples: readonly SpooledSamples[],
  nowMs: number,
): { rows: NewSpoolBatch[]; samples: number; bytes: number } => {
  const rows: NewSpoolBatch[] = [];
  const total = { samples: 0, bytes: 0 };
  let texts: string[] = [];
  let [count, bytes] = [0, 0];
  const close = () => {
    if (texts.length === 0) return;
    rows.push({
      pipeline_id: pipelineId,
      delivery_id: null,
      body: `[${texts.join(',')}]`,
      value_count: count,
      bytes,
      created_at: nowMs,
    });
    total.samples += count;
    total.bytes += bytes;
    texts = [];
    [count, bytes] = [0, 0];
  };
  for (const group of samples) {
    const text = JSON.stringify(group);
    texts.push(text);
    count += countSamples([group]);
    bytes += Buffer.byteLength(text) + 1;
    if (count >= SAMPLES_PER_ROW || bytes >= ROW_BYTES) close();
  }
  close();
  return { rows, ...total };
};

export const insertSpoolBatches = async (db: Db, rows: readonly NewSpoolBatch[]): Promise<void> => {
  for (const some of slicesOf(rows, ROWS_PER_INSERT))
    await db.insertInto('spool_batch').values(some).execute();
};

/** The first waiting batch of a pipeline; undefined: none. */
export const findFirstBatch = (
  db: Db,
  pipelineId: string,
): Promise<Pick<SpoolBatch, 'delivery_id' | 'created_at'> | undefined> =>
  db
    .selectFrom('spool_batch')
    .select(['delivery_id', 'created_at'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();

/** One delivery: each attempt has the same rows and the same ID. */
export type SpooledDelivery = { readonly id: string; readonly batches: readonly SpoolBatch[] };

/**
 * The next delivery: the rows of the previous attempt, or the first rows with about `maxSamples` samples, which get
 * `newDeliveryId`. Undefined: nothing waits.
 */
export const takeNextDelivery = async (
  db: Db,
  pipelineId: string,
  { maxSamples, newDeliveryId }: { maxSamples: number; newDeliveryId: string },
): Promise<SpooledDelivery | undefined> => {
  const rows = await db
    .selectFrom('spool_batch')
    .select(['seq', 'delivery_id', 'value_count', 'bytes'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('seq')
    .limit(DELIVERY.rows)
    .execute();
  if (rows[0] === undefined) return undefined;
  const startedId = rows[0].delivery_id;
  const together =
    startedId === null
      ? fittingRows(rows, maxSamples)
      : rows.filter(({ delivery_id }) => delivery_id === startedId);
  const id = startedId ?? newDeliveryId;
  const batches: SpoolBatch[] = [];
  for (const some of slicesOf(together, VALUES_PER_QUERY)) {
    const seqs = some.map(({ seq }) => seq);
    if (startedId === null)
      await db.updateTable('spool_batch').set({ delivery_id: id }).where('seq', 'in', seqs).execute();
    batches.push(
      ...(await db.selectFrom('spool_batch').selectAll().where('seq', 'in', seqs).orderBy('seq').execute()),
    );
  }
  return { id, batches };
};

/** The first rows with about `maxSamples` samples in total; at least one row. */
const fittingRows = <T extends { value_count: number; bytes: number }>(
  rows: readonly T[],
  maxSamples: number,
) => {
  let [count, bytes] = [0, 0];
  const end = rows.findIndex((row) => {
    count += row.value_count;
    bytes += row.bytes;
    return count > maxSamples || bytes > DELIVERY.bytes;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
};

/** Deletes rows. Returns the bytes and samples of the deleted rows. */
export const deleteSpoolBatches = async (
  db: Db,
  rows: readonly SpoolBatch[],
): Promise<{ samples: number; bytes: number }> => {
  const total = { samples: 0, bytes: 0 };
  for (const some of slicesOf(rows, VALUES_PER_QUERY)) {
    const seqs = some.map(({ seq }) => seq);
    const gone = await db
      .deleteFrom('spool_batch')
      .where('seq', 'in', seqs)
      .returning(['value_count', 'bytes'])
      .execute();
    for (const { value_count, bytes } of gone) {
      total.samples += value_count;
      total.bytes += bytes;
    }
  }
  return total;
};
