import type { Insertable, Selectable, Updateable } from 'kysely';
import * as z from 'zod';
import { pipelineSchema, type Pipeline, type pipelineListQuery } from '#contract/pipelines.ts';
import { type Ledger, type PipelineState, type Spool, type StateReason } from '#contract/pipeline-state.ts';
import { describeProblem } from '#contract/problem.ts';
import { foldCase } from '#contract/fold-case.ts';
import { notFound } from '../../platform/http/http-problem.ts';
import { deleteFact, type Db } from '../../platform/storage/database.ts';
import type { PipelineTable } from './pipeline-table.ts';
import type { Secrets } from '../../platform/secrets/stored-secrets.ts';
import { pageBy, type Ordering } from '../../platform/storage/keyset.ts';
import { contains } from '../../platform/http/search.ts';
import { lastErrorOf } from '../../platform/storage/last-error.ts';
import { toIsoTime, toIsoTimeOrNull } from '../../platform/iso-time.ts';

export type PipelineRow = Selectable<PipelineTable>;

const secretsSchema = z.record(z.string(), z.string());
const configSchema = pipelineSchema.shape.config;
const {
  problems: problemsSchema,
  mapping: mappingSchema,
  state: stateSchema,
  stateReason: stateReasonSchema,
} = pipelineSchema.shape;

const RECOVERING_DETAIL =
  'The problem is over. The pipeline returns to running after a minute without problems.';

export const configOf = (row: Pick<PipelineRow, 'config'>) => configSchema.parse(JSON.parse(row.config));
export const secretsOf = (row: Pick<PipelineRow, 'secrets'>): Secrets =>
  secretsSchema.parse(JSON.parse(row.secrets));
export const mappingOf = (row: PipelineRow) => mappingSchema.parse(JSON.parse(row.mapping));
export const problemsOf = (row: PipelineRow) => problemsSchema.parse(JSON.parse(row.problems));
/** The problems of a draft in words. */
export const describeProblems = (row: PipelineRow): string => problemsOf(row).map(describeProblem).join(' ');
export const stateOf = (row: Pick<PipelineRow, 'state'>) => stateSchema.parse(row.state);
/** Why a pipeline is degraded or failed. */
export const stateReasonOf = ({
  state,
  state_reason: code,
  state_reason_since: since,
  last_error: detail,
}: Pick<PipelineRow, 'state' | 'state_reason' | 'state_reason_since' | 'last_error'>): StateReason => {
  if ((state !== 'degraded' && state !== 'failed') || code === null || since === null) return null;
  return stateReasonSchema.parse({
    code,
    since: toIsoTime(since),
    detail: code === 'recovering' ? RECOVERING_DETAIL : (detail ?? ''),
  });
};
export const ledgerOf = (row: Ledger): Ledger => ({
  received: row.received,
  delivered: row.delivered,
  pending: row.pending,
  rejected: row.rejected,
  skipped: row.skipped,
  overwritten: row.overwritten,
});

/** The part of a pipeline that only the runner knows: samples per second, and the spool. */
export type CurrentThroughput = { perSecond: number; spool: Spool | null };
/** For a pipeline that is not running. */
export const NO_THROUGHPUT: CurrentThroughput = { perSecond: 0, spool: null };

export const pipelineOf = (row: PipelineRow, { perSecond, spool }: CurrentThroughput): Pipeline => ({
  id: row.id,
  name: row.name,
  type: row.type,
  interval: row.interval,
  destination: row.destination,
  enabled: row.enabled === 1,
  config: configOf(row),
  mapping: mappingOf(row),
  state: stateOf(row),
  stateReason: stateReasonOf(row),
  problems: problemsOf(row),
  ledger: ledgerOf(row),
  rate: { perSecond },
  spool,
  lastMessageAt: toIsoTimeOrNull(row.last_message_at),
  lastError: lastErrorOf(row),
  createdAt: toIsoTime(row.created_at),
  updatedAt: toIsoTime(row.updated_at),
});

const ordering: Ordering<'pipeline'> = {
  columns: {
    name: { text: 'pipeline.name_key' },
    type: { text: 'pipeline.type' },
    state: { text: 'pipeline.state' },
    createdAt: { integer: 'pipeline.created_at' },
    lastMessageAt: { integer: 'pipeline.last_message_at' },
  },
  fallback: 'name',
  id: 'pipeline.id',
};

export const listPipelines = async (db: Db, query: z.output<typeof pipelineListQuery>) => {
  let rows = db.selectFrom('pipeline').selectAll('pipeline');
  if (query.q) rows = rows.where(contains('name_key', query.q));
  if (query.state) rows = rows.where('state', 'in', query.state);
  if (query.type) rows = rows.where('type', 'in', query.type);
  if (query.destination !== undefined) rows = rows.where('destination_key', '=', foldCase(query.destination));
  return pageBy(rows, ordering, query);
};

/** The IDs of pipelines whose samples wait for their destination. */
export const listSpooling = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('pipeline').select('id').where('spool_bytes', '>', 0).execute()).map(({ id }) => id);

export const listAllPipelines = (db: Db): Promise<PipelineRow[]> =>
  db.selectFrom('pipeline').selectAll().orderBy('id').execute();

/** Lists the pipelines of a destination, by its folded name. */
export const listPipelinesTo = (db: Db, destinationKey: string): Promise<PipelineRow[]> =>
  db
    .selectFrom('pipeline')
    .selectAll()
    .where('destination_key', '=', destinationKey)
    .orderBy('name_key')
    .orderBy('id')
    .execute();

export const findPipeline = (db: Db, id: string): Promise<PipelineRow | undefined> =>
  db.selectFrom('pipeline').selectAll().where('id', '=', id).executeTakeFirst();

export const getPipeline = async (db: Db, id: string): Promise<PipelineRow> => {
  const row = await findPipeline(db, id);
  if (row === undefined) throw notFound('pipeline');
  return row;
};

export const listPipelineNames = (db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.selectFrom('pipeline').select(['id', 'name']).where('id', 'in', ids).execute();

/** Those of the pipelines that exist, with the times of their creation. */
export const listCreationTimes = (
  db: Db,
  ids: readonly string[],
): Promise<Pick<PipelineRow, 'id' | 'created_at'>[]> =>
  db.selectFrom('pipeline').select(['id', 'created_at']).where('id', 'in', ids).execute();

export const findPipelineByName = (db: Db, name: string): Promise<PipelineRow | undefined> =>
  db.selectFrom('pipeline').selectAll().where('name_key', '=', foldCase(name)).executeTakeFirst();

export const insertPipeline = async (db: Db, row: Insertable<PipelineTable>): Promise<void> => {
  await db.insertInto('pipeline').values(row).execute();
};

export const updatePipeline = async (
  db: Db,
  id: string,
  change: Updateable<PipelineTable>,
): Promise<void> => {
  await db.updateTable('pipeline').set(change).where('id', '=', id).execute();
};

/** Updates the state of a running pipeline. Returns false if it was paused, changed or deleted meanwhile. */
export const updateState = async (
  db: Db,
  id: string,
  before: PipelineState,
  change: Updateable<PipelineTable>,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('pipeline')
    .set(change)
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .where('state', '=', before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** The name of the fact that says what a pipeline has learned from messages. */
export const learnedFactOf = (id: string): string => `learned ${id}`;

export const deletePipeline = async (db: Db, id: string): Promise<void> => {
  await deleteFact(db, learnedFactOf(id));
  await db.deleteFrom('pipeline').where('id', '=', id).execute();
};

/** Numbers to add to the ledger of a pipeline: received = delivered + pending + rejected + skipped. */
export type LedgerEntry = Ledger & {
  pipelineId: string;
  /** Number of rejected samples by reason. */
  reasons: Readonly<Record<string, number>>;
  spoolBytes: number;
  lastMessageAt: number;
};

/** Adds to a ledger. Returns false if the pipeline was deleted meanwhile. */
export const addToLedger = async (db: Db, entry: Omit<LedgerEntry, 'reasons'>): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('pipeline')
    .set((is) => ({
      received: is('received', '+', entry.received),
      delivered: is('delivered', '+', entry.delivered),
      pending: is('pending', '+', entry.pending),
      rejected: is('rejected', '+', entry.rejected),
      skipped: is('skipped', '+', entry.skipped),
      overwritten: is('overwritten', '+', entry.overwritten),
      spool_bytes: is('spool_bytes', '+', entry.spoolBytes),
      last_message_at: entry.lastMessageAt,
    }))
    .where('id', '=', entry.pipelineId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Bytes in the spool of a pipeline; 0 if the pipeline does not exist. */
export const spoolBytesOf = async (db: Db, id: string): Promise<number> =>
  (await db.selectFrom('pipeline').select('spool_bytes').where('id', '=', id).executeTakeFirst())
    ?.spool_bytes ?? 0;

/** Moves samples between the counts of a ledger. The ledger must stay balanced. */
export const moveInLedger = async (
  db: Db,
  pipelineId: string,
  by: Omit<LedgerEntry, 'pipelineId' | 'reasons' | 'lastMessageAt'>,
): Promise<void> => {
  await db
    .updateTable('pipeline')
    .set((is) => ({
      received: is('received', '+', by.received),
      delivered: is('delivered', '+', by.delivered),
      pending: is('pending', '+', by.pending),
      rejected: is('rejected', '+', by.rejected),
      skipped: is('skipped', '+', by.skipped),
      overwritten: is('overwritten', '+', by.overwritten),
      spool_bytes: is('spool_bytes', '+', by.spoolBytes),
    }))
    .where('id', '=', pipelineId)
    .execute();
};

/** Lists the rows for stream frames of these pipelines. */
export const listFrames = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('pipeline')
    .select(['id', 'state', 'destination_key', 'spool_bytes'])
    .select(['state_reason', 'state_reason_since', 'last_error'])
    .select(['received', 'delivered', 'pending', 'rejected', 'skipped', 'overwritten'])
    .where('id', 'in', ids)
    .execute();

/** The pipelines in any of these states, in the order of their names. */
export const listInStates = (db: Db, states: readonly PipelineState[]): Promise<PipelineRow[]> =>
  db.selectFrom('pipeline').selectAll().where('state', 'in', states).orderBy('name_key').execute();
