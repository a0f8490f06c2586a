import type { ThroughputRange } from '#contract/throughput.ts';
import { inWrite, type Db } from '../../platform/storage/database.ts';
import { ROWS_PER_INSERT, slicesOf, VALUES_PER_QUERY } from '../../platform/storage/slices.ts';

/** Samples that a pipeline received in a minute or an hour. */
type PipelineThroughputTable = { pipeline_id: string; bucket_ms: number; ts: number; received: number };

/**
 * Minutes and hours in which the service ran, and for how long. `accepted`: samples; null in minutes of earlier
 * versions.
 */
type ServiceThroughputTable = { bucket_ms: number; ts: number; ran_ms: number; accepted: number | null };

declare module '../../platform/storage/database.ts' {
  interface Schema {
    pipeline_throughput: PipelineThroughputTable;
    service_throughput: ServiceThroughputTable;
  }
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The stored buckets, and how long they are kept. */
const minutes = { bucketMs: MINUTE_MS, keptMs: DAY_MS };
const hours = { bucketMs: HOUR_MS, keptMs: 30 * DAY_MS };
const buckets = [minutes, hours];

/** The buckets of each range. */
export const throughputSpans: Record<ThroughputRange, { bucketMs: number; rangeMs: number }> = {
  '1h': { bucketMs: minutes.bucketMs, rangeMs: HOUR_MS },
  '24h': { bucketMs: minutes.bucketMs, rangeMs: minutes.keptMs },
  '30d': { bucketMs: hours.bucketMs, rangeMs: hours.keptMs },
};

/** The start of the bucket that contains a time. */
export const bucketOf = (ms: number, bucketMs: number): number => Math.floor(ms / bucketMs) * bucketMs;

/** A part of a minute in which the service ran, with the samples that pipelines received in it. */
export type MinutePart = {
  /** The start of the minute, epoch ms. */
  minute: number;
  ranMs: number;
  /** Samples that the service accepted in it. */
  accepted: number;
  /** By pipeline ID. */
  received: ReadonlyMap<string, number>;
};

type Span = { bucketMs: number; fromMs: number; toMs: number };

const findExisting = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  const existing = new Set<string>();
  for (const some of slicesOf(ids, VALUES_PER_QUERY))
    for (const { id } of await db.selectFrom('pipeline').select('id').where('id', 'in', some).execute())
      existing.add(id);
  return existing;
};

/** Adds to a stored bucket, except for pipelines that were deleted meanwhile. */
const addToBucket = async (
  tx: Db,
  bucketMs: number,
  { minute, ranMs, accepted, received }: MinutePart,
): Promise<void> => {
  const bucket = { bucket_ms: bucketMs, ts: bucketOf(minute, bucketMs) };
  await tx
    .insertInto('service_throughput')
    .values({ ...bucket, ran_ms: ranMs, accepted })
    .onConflict((conflict) =>
      conflict.columns(['bucket_ms', 'ts']).doUpdateSet((is) => ({
        ran_ms: is('service_throughput.ran_ms', '+', is.ref('excluded.ran_ms')),
        accepted: is('service_throughput.accepted', '+', is.ref('excluded.accepted')),
      })),
    )
    .execute();
  const existing = await findExisting(tx, [...received.keys()]);
  const rows = [...received]
    .filter(([id]) => existing.has(id))
    .map(([id, received]) => ({ pipeline_id: id, ...bucket, received }));
  for (const some of slicesOf(rows, ROWS_PER_INSERT))
    await tx
      .insertInto('pipeline_throughput')
      .values([...some])
      .onConflict((conflict) =>
        conflict.columns(['pipeline_id', 'bucket_ms', 'ts']).doUpdateSet((is) => ({
          received: is('pipeline_throughput.received', '+', is.ref('excluded.received')),
        })),
      )
      .execute();
};

/** Adds to a minute and to its hour. */
export const addThroughput = (db: Db, part: MinutePart): Promise<void> =>
  inWrite(db, async (tx) => {
    for (const { bucketMs } of buckets) await addToBucket(tx, bucketMs, part);
  });

/** The buckets in which the service ran, ascending. */
export const listRunBuckets = (db: Db, { bucketMs, fromMs, toMs }: Span) =>
  db
    .selectFrom('service_throughput')
    .select(['ts', 'ran_ms'])
    .where('bucket_ms', '=', bucketMs)
    .where('ts', '>=', fromMs)
    .where('ts', '<', toMs)
    .orderBy('ts')
    .execute();

/** The samples that pipelines received, by pipeline ID and start of the bucket. */
export const findReceived = async (
  db: Db,
  pipelineIds: readonly string[],
  { bucketMs, fromMs, toMs }: Span,
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> => {
  // PostgreSQL takes no empty list.
  if (pipelineIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipeline_throughput')
    .select(['pipeline_id', 'ts', 'received'])
    .where('pipeline_id', 'in', pipelineIds)
    .where('bucket_ms', '=', bucketMs)
    .where('ts', '>=', fromMs)
    .where('ts', '<', toMs)
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ pipeline_id: id }) => id)].map(([id, own]) => [
      id,
      new Map(own.map(({ ts, received }) => [ts, received])),
    ]),
  );
};

/** The minutes in which the service ran, ascending, with the samples that it accepted in them. */
export const listAccepted = (db: Db, { fromMs, toMs }: Omit<Span, 'bucketMs'>) =>
  db
    .selectFrom('service_throughput')
    .select(['ts', 'ran_ms', 'accepted'])
    .where('bucket_ms', '=', MINUTE_MS)
    .where('ts', '>=', fromMs)
    .where('ts', '<', toMs)
    .where('accepted', 'is not', null)
    .orderBy('ts')
    .$narrowType<{ accepted: number }>()
    .execute();

const moveBucketsBack = async (tx: Db, bucketMs: number, nowMs: number): Promise<void> => {
  const current = bucketOf(nowMs, bucketMs);
  const ahead = await tx
    .selectFrom('service_throughput')
    .select('accepted')
    .where('bucket_ms', '=', bucketMs)
    .where('ts', '>', current)
    .execute();
  const received = await tx
    .selectFrom('pipeline_throughput')
    .select(['pipeline_id', (is) => is.fn.sum<number>('received').as('sum')])
    .where('bucket_ms', '=', bucketMs)
    .where('ts', '>', current)
    .groupBy('pipeline_id')
    .execute();
  for (const table of ['pipeline_throughput', 'service_throughput'] as const)
    await tx.deleteFrom(table).where('bucket_ms', '=', bucketMs).where('ts', '>', current).execute();
  if (ahead.length === 0) return;
  await addToBucket(tx, bucketMs, {
    minute: current,
    ranMs: 0,
    accepted: ahead.reduce((sum, { accepted }) => sum + (accepted ?? 0), 0),
    received: new Map(received.map(({ pipeline_id: id, sum }) => [id, Number(sum)])),
  });
};

/** Adds buckets after `nowMs` to the current ones: they were written before the clock was set back. */
export const moveThroughputBack = async (tx: Db, nowMs: number): Promise<void> => {
  for (const { bucketMs } of buckets) await moveBucketsBack(tx, bucketMs, nowMs);
};

/** Each deletion is one statement, during which nothing else runs. */
const PIPELINES_PER_DELETE = 20;
/** After the clock is set back, older buckets are in the range again. */
const MARGIN_MS = HOUR_MS;

const deleteBefore = async (
  db: Db,
  { bucketMs, beforeMs }: { bucketMs: number; beforeMs: number },
): Promise<void> => {
  const pipelines = await db.selectFrom('pipeline').select('id').execute();
  // By pipeline, so that the index finds the old rows among those that stay.
  for (const some of slicesOf(pipelines, PIPELINES_PER_DELETE))
    await db
      .deleteFrom('pipeline_throughput')
      .where(
        'pipeline_id',
        'in',
        some.map(({ id }) => id),
      )
      .where('bucket_ms', '=', bucketMs)
      .where('ts', '<', beforeMs)
      .execute();
  await db
    .deleteFrom('service_throughput')
    .where('bucket_ms', '=', bucketMs)
    .where('ts', '<', beforeMs)
    .execute();
};

/** Deletes the buckets that are older than their range. */
export const deleteOldThroughput = async (db: Db, nowMs: number): Promise<void> => {
  for (const { bucketMs, keptMs } of buckets)
    await deleteBefore(db, { bucketMs, beforeMs: nowMs - keptMs - MARGIN_MS });
};
