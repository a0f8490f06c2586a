import { CompiledQuery, Kysely, sql, type ColumnType, type Dialect, type Generated } from 'kysely';
import { Migrator } from 'kysely/migration';
import { isPostgres } from './is-postgres.ts';
import { migrations } from './migrations.ts';

/** Times are epoch ms, booleans 0 or 1, lists and records JSON text; each store maps its rows once. */
type DeviceTable = {
  /** What the search index of SQLite knows a device by. */
  seq: Generated<number>;
  id: string;
  external_id: string;
  name: string;
  /** Folded by Unicode: what names are sorted by. */
  name_key: string;
  /** Folded name and external id: what `q` is looked for in. */
  search_key: string;
  type: string;
  description: string;
  tags: string;
  expected_interval: number | null;
  learned_interval: number | null;
  state: string;
  /** 0: never. */
  last_seen_at: number;
  late_at: number | null;
  offline_at: number | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  revision: number;
};

/** How many devices are shown in each state; triggers keep it. */
type DeviceCountTable = { state: string; count: number };

type DeviceTagTable = { device_id: string; key: string; value: string };

type ApiKeyTable = {
  id: string;
  digest: string;
  name: string;
  name_key: string;
  last4: string;
  scopes: string;
  devices: string | null;
  expires_at: number | null;
  /** As expires_at, with the greatest number for never: what the list is sorted by. */
  expires_key: number;
  /** How many days before its end somebody was warned last; null: not yet. */
  warned_days: number | null;
  last_used_at: number;
  last_used_from: string | null;
  created_by: string | null;
  revoked_at: number | null;
  rotated_from: string | null;
  created_at: number;
  revision: number;
};

type SessionTable = {
  id: string;
  digest: string;
  /** The key it was opened with; null: a sign-in link, which holds every scope. */
  key_id: string | null;
  label: string | null;
  idle_ms: number;
  last_used_at: number;
  expires_at: number;
  created_at: number;
};

type SigninTable = { digest: string; expires_at: number; used_at: number | null };

type EventTable = {
  /** Grows with each event: the order of the log. */
  seq: Generated<number>;
  id: string;
  at: number;
  type: string;
  subject_type: string;
  subject_id: string;
  subject_name: string;
  actor_type: string | null;
  actor_id: string | null;
  actor_name: string | null;
  data: string;
};

type PipelineTable = {
  id: string;
  name: string;
  /** Folded by Unicode; unique. */
  name_key: string;
  type: string;
  interval: number;
  destination: string;
  /** Folded by Unicode: how it is looked up by the name of its destination. */
  destination_key: string;
  enabled: number;
  /** Secrets in it are masked. */
  config: string;
  /** What the config's masks stand for, by pointer. Kept as they are: they are sent to where it connects. */
  secrets: string;
  mapping: string;
  state: string;
  problems: string;
  received: number;
  delivered: number;
  pending: number;
  rejected: number;
  skipped: number;
  /** Part of `delivered`. */
  overwritten: number;
  /** Bytes of its batches in the spool. */
  spool_bytes: number;
  last_message_at: number;
  last_error_at: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
  revision: number;
};

type DestinationTable = {
  id: string;
  name: string;
  /** Folded by Unicode; unique. */
  name_key: string;
  type: string;
  /** A password in it is masked; null: it has no address. */
  url: string | null;
  /** Secrets in it are masked. */
  options: string;
  /** What the masks stand for, by pointer, and what calls are signed with. */
  secrets: string;
  state: string;
  last_error_at: number | null;
  last_error: string | null;
  last_delivered_at: number | null;
  created_at: number;
  updated_at: number;
  revision: number;
};

/** What a pipeline has taken and its destination has not yet: the order of `seq` is that of the delivery. */
type SpoolBatchTable = {
  seq: Generated<number>;
  pipeline_id: string;
  /** Under which it was tried first, together with others; null: not yet. */
  delivery_id: string | null;
  /** A list of samples, as JSON. */
  body: string;
  value_count: number;
  bytes: number;
  created_at: number;
};

type RejectionTable = {
  id: string;
  pipeline_id: string;
  at: number;
  reason: string;
  detail: string;
  message: string;
  topic: string | null;
  attempts: number;
  /** How many values of the message it stands for. */
  value_count: number;
  /** The same for all rejections of one message. */
  message_id: string;
  /** 1: `message` is the whole message, and can be read anew; 2: it is kept apart, for as long as there is room. */
  is_whole: number;
  /** How many values of the whole message the ledger counts, whatever became of them. */
  message_values: number;
  /** Whose values those are that name no device, by the topic or the sender; null: the pipeline's own setting says. */
  device: string | null;
  /** JSON: the ids of the devices that its sender is limited to; null: all. */
  sender_devices: string | null;
  /** 1: `message` holds samples, that the pipeline's mapping has been through already. */
  is_mapped: number;
  /** Equal for equal rejections of a polled source; null: the rejection is not counted with others. */
  digest: string | null;
  /** Number of equal rejections in this row. `at` is the time of the last one; the values are the sum of all. */
  occurrences: Generated<number>;
  /** The time of the first of several equal rejections. */
  first_at: number | null;
};

/** A message that its rejections show only in part. */
type WholeMessageTable = {
  message_id: string;
  pipeline_id: string;
  at: number;
  /** Base 64. */
  body: string;
  bytes: number;
};

/** Messages to the embedded broker that match no running pipeline, by topic filter. */
type UnroutedTopicTable = {
  topic_filter: string;
  /** Folded by Unicode. */
  search_key: string;
  messages: number;
  first_at: number;
  last_at: number;
  /** JSON: user names, latest first. */
  clients: string;
  /** Of the last message. */
  topic: string;
  /** The first 4 KiB of the payload as text; null: binary. */
  payload: string | null;
  payload_bytes: number;
  is_truncated: number;
  is_retained: number;
};

type WebhookTable = {
  id: string;
  name: string;
  /** Folded by Unicode; unique. */
  name_key: string;
  url: string;
  events: string;
  enabled: number;
  /** Kept as it is: each call is signed with it, and the receiver verifies with the same. */
  secret: string;
  /** The one before, which calls are signed with as well until then. */
  old_secret: string | null;
  old_secret_until: number | null;
  state: string;
  delivered: number;
  /** As many as the webhook has calls. */
  pending: number;
  failed: number;
  /** Until when a process serves it; 0: none does. */
  busy_until: number;
  last_delivered_at: number | null;
  last_error_at: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
  revision: number;
};

/** A call that has not got through yet. */
type WebhookCallTable = {
  webhook_id: string;
  event_id: string;
  body: string;
  /** Tries so far. */
  attempts: number;
  due_at: number;
};

/** Recently overwritten values of one metric of one device. The device may be deleted. */
type OverwriteTable = {
  pipeline_id: string;
  device_id: string;
  metric: string;
  value_count: number;
  first_at: number;
  last_at: number;
  /** The timestamp of the latest overwritten sample, and its values as JSON; null: unknown. */
  ts: number;
  value_before: string | null;
  value_after: string;
};

/** Values that a pipeline received in a minute. */
type PipelineMinuteTable = { pipeline_id: string; minute: number; received: number };

/** Minutes in which the service ran, and for how long. */
type ServiceMinuteTable = { minute: number; ran_ms: number };

type IdempotencyTable = {
  key: string;
  actor_id: string;
  request_digest: string;
  status: number;
  headers: string;
  body: string;
  created_at: number;
};

/** Single facts about the service, by name. */
type FactTable = { name: string; value: ColumnType<string, string, string> };

export type Schema = {
  device: DeviceTable;
  device_count: DeviceCountTable;
  device_tag: DeviceTagTable;
  api_key: ApiKeyTable;
  session: SessionTable;
  signin: SigninTable;
  event: EventTable;
  pipeline: PipelineTable;
  destination: DestinationTable;
  spool_batch: SpoolBatchTable;
  rejection: RejectionTable;
  whole_message: WholeMessageTable;
  unrouted_topic: UnroutedTopicTable;
  overwrite: OverwriteTable;
  pipeline_minute: PipelineMinuteTable;
  service_minute: ServiceMinuteTable;
  webhook: WebhookTable;
  webhook_call: WebhookCallTable;
  idempotency: IdempotencyTable;
  fact: FactTable;
};

/** The metadata database, or a transaction of it: the first parameter of every store function. */
export type Db = Kysely<Schema>;

/** The database has an older version, and cannot be migrated because the disk is read-only. */
export class OutdatedDatabase extends Error {
  override readonly name = 'OutdatedDatabase';
}

/**
 * Opens the metadata database and migrates it to the latest version. @throws the error of a failed migration;
 * OutdatedDatabase if `isReadOnly` and the database has an older version
 */
export const openDatabase = async (dialect: Dialect, { isReadOnly = false } = {}): Promise<Db> => {
  const db = new Kysely<Schema>({ dialect });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = isReadOnly ? await findOutdated(migrator) : await migrator.migrateToLatest();
  if (error !== undefined) {
    await db.destroy();
    throw error;
  }
  return db;
};

const findOutdated = async (migrator: Migrator): Promise<{ error?: unknown }> => {
  const all = await migrator.getMigrations();
  if (all.every(({ executedAt }) => executedAt !== undefined)) return {};
  return {
    error: new OutdatedDatabase(
      'The disk of DATA_DIR is read-only, and penstock.db was written by an older version of Penstock. Make the disk writable, then start Penstock again.',
    ),
  };
};

/** Name of the lock under which PostgreSQL has one writer at a time: any number that nothing else uses. */
const WRITE_LOCK = 7_365_736;

/** What each database writes now, or wrote last. */
const lastWrite = new WeakMap<Db, Promise<unknown>>();

/**
 * The one way to write more than one statement. One writer at a time: what was read in the transaction still holds when
 * it commits, and the order of the event log is the order of the commits. SQLite has that by its nature. PostgreSQL has
 * it between processes by a lock; within one the writers wait here, where they hold no connection and what follows a
 * commit (telling streams of it) keeps its order.
 */
export const inWrite = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> => {
  if (!isPostgres(db)) return db.transaction().execute(work);
  const write = () =>
    db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${WRITE_LOCK})`.execute(tx);
      return work(tx);
    });
  const written = (lastWrite.get(db) ?? Promise.resolve()).then(write, write);
  lastWrite.set(db, written);
  return written;
};

/** Reads a fact about the service. */
export const findFact = async (db: Db, name: string): Promise<string | undefined> =>
  (await db.selectFrom('fact').select('value').where('name', '=', name).executeTakeFirst())?.value;

export const setFact = async (db: Db, name: string, value: string): Promise<void> => {
  await db
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
};

/** True where the database answers. */
export const isAlive = (db: Db): Promise<boolean> =>
  db.executeQuery(CompiledQuery.raw('select 1')).then(
    () => true,
    () => false,
  );
