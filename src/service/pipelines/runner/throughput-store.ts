import { inWrite, type Db } from '../../platform/storage/database.ts';
import { ROWS_PER_INSERT, slicesOf, VALUES_PER_QUERY } from '../../platform/storage/slices.ts';

/** Values that a pipeline received in a minute. */
type PipelineMinuteTable = { pipeline_id: string; minute: number; received: number };

/** Minutes in which the service ran, and for how long. `accepted`: samples; null in minutes of earlier versions. */
type ServiceMinuteTable = { minute: number; ran_ms: number; accepted: number | null };

declare module '../../platform/storage/database.ts' {
  interface Schema {
    pipeline_minute: PipelineMinuteTable;
    service_minute: ServiceMinuteTable;
  }
}

/** A part of a minute in which the service ran, with the values that pipelines received in it. */
export type MinutePart = {
  /** The start of the minute, epoch ms. */
  minute: number;
  ranMs: number;
  /** Samples that the service accepted in it. */
  accepted: number;
  /** By pipeline ID. */
  received: ReadonlyMap<string, number>;
};

const findExisting = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  const existing = new Set<string>();
  for (const some of slicesOf(ids, VALUES_PER_QUERY))
    for (const { id } of await db.selectFrom('pipeline').select('id').where('id', 'in', some).execute())
      existing.add(id);
  return existing;
};

/** Adds to a stored minute, except for pipelines that were deleted meanwhile. */
const addMinute = async (tx: Db, { minute, ranMs, accepted, received }: MinutePart): Promise<void> => {
  await tx
    .insertInto('service_minute')
    .values({ minute, ran_ms: ranMs, accepted })
    .onConflict((conflict) =>
      conflict.column('minute').doUpdateSet((is) => ({
        ran_ms: is('service_minute.ran_ms', '+', is.ref('excluded.ran_ms')),
        accepted: is('service_minute.accepted', '+', is.ref('excluded.accepted')),
      })),
    )
    .execute();
  const existing = await findExisting(tx, [...received.keys()]);
  const rows = [...received]
    .filter(([id]) => existing.has(id))
    .map(([id, values]) => ({ pipeline_id: id, minute, received: values }));
  for (const some of slicesOf(rows, ROWS_PER_INSERT))
    await tx
      .insertInto('pipeline_minute')
      .values([...some])
      .onConflict((conflict) =>
        conflict.columns(['pipeline_id', 'minute']).doUpdateSet((is) => ({
          received: is('pipeline_minute.received', '+', is.ref('excluded.received')),
        })),
      )
      .execute();
};

export const addThroughput = (db: Db, part: MinutePart): Promise<void> =>
  inWrite(db, (tx) => addMinute(tx, part));

/** The minutes in which the service ran, ascending, with the values that a pipeline received in them. */
export const listThroughput = (
  db: Db,
  pipelineId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
) =>
  db
    .selectFrom('service_minute')
    .leftJoin('pipeline_minute', (join) =>
      join
        .onRef('pipeline_minute.minute', '=', 'service_minute.minute')
        .on('pipeline_minute.pipeline_id', '=', pipelineId),
    )
    .select(['service_minute.minute', 'service_minute.ran_ms', 'pipeline_minute.received'])
    .where('service_minute.minute', '>=', fromMs)
    .where('service_minute.minute', '<', toMs)
    .orderBy('service_minute.minute')
    .execute();

/** The minutes in which the service ran, ascending, with the samples that it accepted in them. */
export const listAccepted = (db: Db, { fromMs, toMs }: { fromMs: number; toMs: number }) =>
  db
    .selectFrom('service_minute')
    .select(['minute', 'ran_ms', 'accepted'])
    .where('minute', '>=', fromMs)
    .where('minute', '<', toMs)
    .where('accepted', 'is not', null)
    .orderBy('minute')
    .$narrowType<{ accepted: number }>()
    .execute();

/** Adds minutes after `nowMs` to the current one: they were written before the clock was set back. */
export const moveMinutesBack = async (tx: Db, nowMs: number): Promise<void> => {
  const current = nowMs - (nowMs % 60_000);
  const ahead = await tx.selectFrom('service_minute').selectAll().where('minute', '>', current).execute();
  const received = await tx
    .selectFrom('pipeline_minute')
    .select(['pipeline_id', (is) => is.fn.sum<number>('received').as('sum')])
    .where('minute', '>', current)
    .groupBy('pipeline_id')
    .execute();
  for (const table of ['pipeline_minute', 'service_minute'] as const)
    await tx.deleteFrom(table).where('minute', '>', current).execute();
  if (ahead.length === 0) return;
  await addMinute(tx, {
    minute: current,
    ranMs: 0,
    accepted: ahead.reduce((sum, { accepted }) => sum + (accepted ?? 0), 0),
    received: new Map(received.map(({ pipeline_id: id, sum }) => [id, Number(sum)])),
  });
};

export const deleteThroughput = (db: Db, beforeMs: number): Promise<void> =>
  inWrite(db, async (tx) => {
    for (const table of ['pipeline_minute', 'service_minute'] as const)
      await tx.deleteFrom(table).where('minute', '<', beforeMs).execute();
  });
