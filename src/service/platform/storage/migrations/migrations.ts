import { sql, type ColumnDefinitionBuilder, type Kysely, type RawBuilder } from 'kysely';
import type { Migration } from 'kysely/migration';
import * as z from 'zod';
import { foldCase } from '#contract/text.ts';
import { isPostgres } from '../dialects/is-postgres.ts';

/** Keeps an index of every three characters in a row of `search_key`, so that a search reads only what it finds. */
const indexSearch = async (db: Kysely<unknown>): Promise<void> => {
  if (isPostgres(db)) {
    await sql`create extension if not exists pg_trgm`.execute(db);
    await sql`create index device_search on device using gin (search_key gin_trgm_ops)`.execute(db);
    return;
  }
  await sql`create virtual table device_search using fts5(
    search_key, content='device', content_rowid='seq', tokenize='trigram case_sensitive 1')`.execute(db);
  const add = sql.raw('insert into device_search (rowid, search_key) values (new.seq, new.search_key);');
  const remove = sql.raw(
    "insert into device_search (device_search, rowid, search_key) values ('delete', old.seq, old.search_key);",
  );
  await sql`create trigger device_search_insert after insert on device begin ${add} end`.execute(db);
  await sql`create trigger device_search_delete after delete on device begin ${remove} end`.execute(db);
  await sql`create trigger device_search_update after update of search_key on device
    when old.search_key <> new.search_key begin ${remove} ${add} end`.execute(db);
};

const deviceStates = ['never-seen', 'online', 'late', 'offline'];

/** Keeps the number of devices in each state, so that counting them reads four rows. */
const countDevices = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('device_count')
    .addColumn('state', 'text', (column) => column.primaryKey())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .execute();
  for (const state of deviceStates) await sql`insert into device_count values (${state}, 0)`.execute(db);
  const add = (row: 'old' | 'new', change: '+ 1' | '- 1') =>
    sql.raw(
      `update device_count set count = count ${change} where state = ${row}.state and ${row}.deleted_at is null;`,
    );
  const [leave, enter] = [add('old', '- 1'), add('new', '+ 1')];
  const on: Record<string, [when: string, work: RawBuilder<unknown>]> = {
    insert: ['insert on device for each row', enter],
    delete: ['delete on device for each row', leave],
    update: [
      `update of state, deleted_at on device for each row
       when (old.state <> new.state or (old.deleted_at is null) <> (new.deleted_at is null))`,
      sql`${leave} ${enter}`,
    ],
  };
  for (const [name, [when, work]] of Object.entries(on)) {
    const trigger = sql.raw(`create trigger device_count_${name} after ${when}`);
    if (!isPostgres(db)) {
      await sql`${trigger} begin ${work} end`.execute(db);
      continue;
    }
    await sql`create function ${sql.raw(`device_count_${name}`)}() returns trigger language plpgsql
      as $$ begin ${work} return null; end $$`.execute(db);
    await sql`${trigger} execute function ${sql.raw(`device_count_${name}`)}()`.execute(db);
  }
};

type ColumnType = 'text' | 'integer' | RawBuilder<unknown>;

/** Text is compared by its bytes, as SQLite does, whatever the language of the database is. */
const textOf = (db: Kysely<unknown>): ColumnType => (isPostgres(db) ? sql`text collate "C"` : 'text');

const counterOf = (db: Kysely<unknown>): ColumnType => (isPostgres(db) ? sql`bigserial` : 'integer');

/**
 * Every version of the schema, oldest first; one that has been released is never edited.
 * Dialect-neutral: kysely's builder, and types that SQLite and PostgreSQL both know.
 */
export const migrations: Record<string, Migration> = {
  '0001-foundation': {
    up: async (db: Kysely<unknown>) => {
      const { schema } = db;
      const [text, counter] = [textOf(db), counterOf(db)];
      const counts = (column: ColumnDefinitionBuilder) =>
        isPostgres(db) ? column.primaryKey() : column.primaryKey().autoIncrement();
      await schema
        .createTable('device')
        .addColumn('seq', counter, counts)
        .addColumn('id', text, (column) => column.notNull().unique())
        .addColumn('external_id', text, (column) => column.notNull().unique())
        .addColumn('name', text, (column) => column.notNull())
        .addColumn('name_key', text, (column) => column.notNull())
        .addColumn('search_key', text, (column) => column.notNull())
        .addColumn('type', text, (column) => column.notNull())
        .addColumn('description', text, (column) => column.notNull())
        .addColumn('tags', text, (column) => column.notNull())
        .addColumn('expected_interval', 'double precision')
        .addColumn('learned_interval', 'double precision')
        .addColumn('state', text, (column) => column.notNull())
        .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
        .addColumn('late_at', 'bigint')
        .addColumn('offline_at', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('deleted_at', 'bigint')
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute();
      // One index for each sort of the list, over the devices that it shows; state also leads one for its filter.
      for (const columns of [
        ['name_key', 'id', 'search_key'],
        ['external_id', 'id'],
        ['type', 'id'],
        ['type', 'name_key', 'id'],
        ['state', 'id'],
        ['state', 'name_key', 'id'],
        ['last_seen_at', 'id'],
        ['created_at', 'id'],
      ])
        await schema
          .createIndex(`device_by_${columns.join('_')}`)
          .on('device')
          .columns(columns)
          .where(sql.ref('deleted_at'), 'is', null)
          .execute();
      await schema.createIndex('device_by_late_at').on('device').columns(['state', 'late_at']).execute();
      await schema
        .createIndex('device_by_offline_at')
        .on('device')
        .columns(['state', 'offline_at'])
        .execute();
      await schema
        .createIndex('device_by_deleted_at')
        .on('device')
        .column('deleted_at')
        .where(sql.ref('deleted_at'), 'is not', null)
        .execute();
      await indexSearch(db);
      await countDevices(db);
      await schema
        .createTable('device_tag')
        .addColumn('device_id', text, (column) =>
          column.notNull().references('device.id').onDelete('cascade'),
        )
        .addColumn('key', text, (column) => column.notNull())
        .addColumn('value', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('device_tag_pk', ['device_id', 'key'])
        .execute();
      await schema
        .createIndex('device_tag_by_value')
        .on('device_tag')
        .columns(['key', 'value', 'device_id'])
        .execute();

      await schema
        .createTable('api_key')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('digest', text, (column) => column.notNull().unique())
        .addColumn('name', text, (column) => column.notNull())
        .addColumn('name_key', text, (column) => column.notNull())
        .addColumn('last4', text, (column) => column.notNull())
        .addColumn('scopes', text, (column) => column.notNull())
        .addColumn('devices', text)
        .addColumn('expires_at', 'bigint')
        .addColumn('expires_key', 'bigint', (column) => column.notNull())
        .addColumn('warned_days', 'integer')
        .addColumn('last_used_at', 'bigint', (column) => column.notNull())
        .addColumn('last_used_from', text)
        .addColumn('created_by', text)
        .addColumn('revoked_at', 'bigint')
        .addColumn('rotated_from', text)
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createTable('session')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('digest', text, (column) => column.notNull().unique())
        .addColumn('key_id', text, (column) => column.references('api_key.id').onDelete('cascade'))
        .addColumn('label', text)
        .addColumn('idle_ms', 'bigint', (column) => column.notNull())
        .addColumn('last_used_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createTable('signin')
        .addColumn('digest', text, (column) => column.primaryKey())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('used_at', 'bigint')
        .execute();

      await schema
        .createTable('event')
        .addColumn('seq', counter, counts)
        .addColumn('id', text, (column) => column.notNull().unique())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('type', text, (column) => column.notNull())
        .addColumn('subject_type', text, (column) => column.notNull())
        .addColumn('subject_id', text, (column) => column.notNull())
        .addColumn('subject_name', text, (column) => column.notNull())
        .addColumn('actor_type', text)
        .addColumn('actor_id', text)
        .addColumn('actor_name', text)
        .addColumn('data', text, (column) => column.notNull())
        .execute();
      for (const columns of [
        ['at', 'id'],
        ['type', 'at', 'id'],
        ['subject_id', 'at', 'id'],
      ])
        await schema
          .createIndex(`event_by_${columns.join('_')}`)
          .on('event')
          .columns(columns)
          .execute();

      await schema
        .createTable('pipeline')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('name', text, (column) => column.notNull())
        .addColumn('name_key', text, (column) => column.notNull().unique())
        .addColumn('type', text, (column) => column.notNull())
        .addColumn('interval', 'integer', (column) => column.notNull())
        .addColumn('destination', text, (column) => column.notNull())
        .addColumn('enabled', 'integer', (column) => column.notNull())
        .addColumn('config', text, (column) => column.notNull())
        .addColumn('secrets', text, (column) => column.notNull())
        .addColumn('mapping', text, (column) => column.notNull())
        .addColumn('state', text, (column) => column.notNull())
        .addColumn('problems', text, (column) => column.notNull())
        .addColumn('received', 'bigint', (column) => column.notNull())
        .addColumn('delivered', 'bigint', (column) => column.notNull())
        .addColumn('pending', 'bigint', (column) => column.notNull())
        .addColumn('rejected', 'bigint', (column) => column.notNull())
        .addColumn('last_message_at', 'bigint', (column) => column.notNull())
        .addColumn('last_error_at', 'bigint')
        .addColumn('last_error', text)
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createTable('rejection')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('pipeline_id', text, (column) =>
          column.notNull().references('pipeline.id').onDelete('cascade'),
        )
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('reason', text, (column) => column.notNull())
        .addColumn('detail', text, (column) => column.notNull())
        .addColumn('message', text, (column) => column.notNull())
        .addColumn('topic', text)
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('value_count', 'integer', (column) => column.notNull())
        .execute();
      await schema
        .createIndex('rejection_by_pipeline')
        .on('rejection')
        .columns(['pipeline_id', 'at', 'id'])
        .execute();

      await schema
        .createTable('webhook')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('name', text, (column) => column.notNull())
        .addColumn('name_key', text, (column) => column.notNull().unique())
        .addColumn('url', text, (column) => column.notNull())
        .addColumn('events', text, (column) => column.notNull())
        .addColumn('enabled', 'integer', (column) => column.notNull())
        .addColumn('secret', text, (column) => column.notNull())
        .addColumn('old_secret', text)
        .addColumn('old_secret_until', 'bigint')
        .addColumn('state', text, (column) => column.notNull())
        .addColumn('delivered', 'bigint', (column) => column.notNull())
        .addColumn('pending', 'bigint', (column) => column.notNull())
        .addColumn('failed', 'bigint', (column) => column.notNull())
        .addColumn('busy_until', 'bigint', (column) => column.notNull())
        .addColumn('last_delivered_at', 'bigint')
        .addColumn('last_error_at', 'bigint')
        .addColumn('last_error', text)
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createTable('webhook_call')
        .addColumn('webhook_id', text, (column) =>
          column.notNull().references('webhook.id').onDelete('cascade'),
        )
        .addColumn('event_id', text, (column) => column.notNull())
        .addColumn('body', text, (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('due_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('webhook_call_pk', ['webhook_id', 'event_id'])
        .execute();
      await schema
        .createIndex('webhook_call_by_due_at')
        .on('webhook_call')
        .columns(['webhook_id', 'due_at', 'event_id'])
        .execute();

      await schema
        .createTable('idempotency')
        .addColumn('key', text, (column) => column.notNull())
        .addColumn('actor_id', text, (column) => column.notNull())
        .addColumn('request_digest', text, (column) => column.notNull())
        .addColumn('status', 'integer', (column) => column.notNull())
        .addColumn('headers', text, (column) => column.notNull())
        .addColumn('body', text, (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('idempotency_pk', ['actor_id', 'key'])
        .execute();
      await schema.createIndex('idempotency_by_created_at').on('idempotency').column('created_at').execute();
      await schema
        .createTable('fact')
        .addColumn('name', text, (column) => column.primaryKey())
        .addColumn('value', text, (column) => column.notNull())
        .execute();
    },
  },
  '0002-replay': {
    up: async (db: Kysely<unknown>) => {
      // What was rejected before cannot be replayed: it is not known whether its text is whole.
      const columns = [
        ['message_id', 'text', ''],
        ['is_whole', 'integer', 0],
        ['message_values', 'integer', 0],
      ] as const;
      for (const [name, type, preset] of columns)
        await db.schema
          .alterTable('rejection')
          .addColumn(name, type, (column) => column.notNull().defaultTo(preset))
          .execute();
      for (const name of ['device', 'sender_devices'])
        await db.schema.alterTable('rejection').addColumn(name, 'text').execute();
      await sql`update rejection set message_id = id`.execute(db);
      await db.schema
        .createIndex('rejection_by_message')
        .on('rejection')
        .columns(['pipeline_id', 'at', 'message_id'])
        .execute();
      await db.schema.createIndex('rejection_of_message').on('rejection').column('message_id').execute();
    },
  },
  '0003-destinations': {
    up: async (db: Kysely<unknown>) => {
      const { schema } = db;
      await schema
        .createTable('destination')
        .addColumn('id', textOf(db), (column) => column.primaryKey())
        .addColumn('name', textOf(db), (column) => column.notNull())
        .addColumn('name_key', textOf(db), (column) => column.notNull().unique())
        .addColumn('type', textOf(db), (column) => column.notNull())
        .addColumn('url', textOf(db))
        .addColumn('options', textOf(db), (column) => column.notNull())
        .addColumn('secrets', textOf(db), (column) => column.notNull())
        .addColumn('state', textOf(db), (column) => column.notNull())
        .addColumn('last_error_at', 'bigint')
        .addColumn('last_error', textOf(db))
        .addColumn('last_delivered_at', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createTable('spool_batch')
        .addColumn('seq', counterOf(db), (column) =>
          isPostgres(db) ? column.primaryKey() : column.primaryKey().autoIncrement(),
        )
        .addColumn('pipeline_id', textOf(db), (column) =>
          column.notNull().references('pipeline.id').onDelete('cascade'),
        )
        .addColumn('delivery_id', textOf(db))
        .addColumn('body', textOf(db), (column) => column.notNull())
        .addColumn('value_count', 'integer', (column) => column.notNull())
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createIndex('spool_batch_by_pipeline')
        .on('spool_batch')
        .columns(['pipeline_id', 'seq'])
        .execute();
      await schema
        .alterTable('pipeline')
        .addColumn('spool_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
      await schema
        .alterTable('pipeline')
        .addColumn('destination_key', textOf(db), (column) => column.notNull().defaultTo(''))
        .execute();
      // Until now only the built-in store could be named by a pipeline that worked; the names of others are folded too.
      const named = z.array(z.object({ id: z.string(), destination: z.string() }));
      const { rows } = await sql`select id, destination from pipeline`.execute(db);
      for (const { id, destination } of named.parse(rows))
        await sql`update pipeline set destination_key = ${foldCase(destination)} where id = ${id}`.execute(
          db,
        );
      await schema
        .createIndex('pipeline_by_destination')
        .on('pipeline')
        .columns(['destination_key', 'name_key', 'id'])
        .execute();
      await schema
        .alterTable('rejection')
        .addColumn('is_mapped', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    },
  },
  '0004-whole-messages': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('whole_message')
        .addColumn('message_id', textOf(db), (column) => column.primaryKey())
        .addColumn('pipeline_id', textOf(db), (column) =>
          column.notNull().references('pipeline.id').onDelete('cascade'),
        )
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('body', textOf(db), (column) => column.notNull())
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('whole_message_by_pipeline')
        .on('whole_message')
        .columns(['pipeline_id', 'at', 'message_id'])
        .execute();
    },
  },
  '0005-skipped-and-overwritten': {
    up: async (db: Kysely<unknown>) => {
      for (const name of ['skipped', 'overwritten'])
        await db.schema
          .alterTable('pipeline')
          .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
          .execute();
    },
  },
  '0006-unrouted-messages': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('unrouted_topic')
        .addColumn('topic_filter', textOf(db), (column) => column.primaryKey())
        .addColumn('search_key', textOf(db), (column) => column.notNull())
        .addColumn('messages', 'bigint', (column) => column.notNull())
        .addColumn('first_at', 'bigint', (column) => column.notNull())
        .addColumn('last_at', 'bigint', (column) => column.notNull())
        .addColumn('clients', textOf(db), (column) => column.notNull())
        .addColumn('topic', textOf(db), (column) => column.notNull())
        .addColumn('payload', textOf(db))
        .addColumn('payload_bytes', 'integer', (column) => column.notNull())
        .addColumn('is_truncated', 'integer', (column) => column.notNull())
        .addColumn('is_retained', 'integer', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('unrouted_topic_by_last_at')
        .on('unrouted_topic')
        .columns(['last_at', 'topic_filter'])
        .execute();
    },
  },
  '0007-overwrites': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('overwrite')
        .addColumn('pipeline_id', textOf(db), (column) =>
          column.notNull().references('pipeline.id').onDelete('cascade'),
        )
        .addColumn('device_id', textOf(db), (column) => column.notNull())
        .addColumn('metric', textOf(db), (column) => column.notNull())
        .addColumn('value_count', 'bigint', (column) => column.notNull())
        .addColumn('first_at', 'bigint', (column) => column.notNull())
        .addColumn('last_at', 'bigint', (column) => column.notNull())
        .addColumn('ts', 'bigint', (column) => column.notNull())
        .addColumn('value_before', textOf(db))
        .addColumn('value_after', textOf(db), (column) => column.notNull())
        .addPrimaryKeyConstraint('overwrite_pk', ['pipeline_id', 'device_id', 'metric'])
        .execute();
    },
  },
  '0008-equal-rejections': {
    up: async (db: Kysely<unknown>) => {
      const { schema } = db;
      await schema.alterTable('rejection').addColumn('digest', textOf(db)).execute();
      await schema
        .alterTable('rejection')
        .addColumn('occurrences', 'integer', (column) => column.notNull().defaultTo(1))
        .execute();
      await schema.alterTable('rejection').addColumn('first_at', 'bigint').execute();
      await schema
        .createIndex('rejection_by_digest')
        .on('rejection')
        .columns(['pipeline_id', 'digest'])
        .execute();
    },
  },
  '0009-throughput': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('pipeline_minute')
        .addColumn('pipeline_id', textOf(db), (column) =>
          column.notNull().references('pipeline.id').onDelete('cascade'),
        )
        .addColumn('minute', 'bigint', (column) => column.notNull())
        .addColumn('received', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('pipeline_minute_pk', ['pipeline_id', 'minute'])
        .execute();
      await db.schema
        .createTable('service_minute')
        .addColumn('minute', 'bigint', (column) => column.primaryKey())
        .addColumn('ran_ms', 'integer', (column) => column.notNull())
        .execute();
    },
  },
};
