import { sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../dialects/is-postgres.ts';
import { counterOf, textOf } from './column-types.ts';
import { countDevices, indexSearch } from './device-triggers.ts';

export const foundation: Migration = {
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
    // One index for each sort of the list, without deleted devices, and one that begins with the state for its filter.
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
    await schema.createIndex('device_by_offline_at').on('device').columns(['state', 'offline_at']).execute();
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
      .addColumn('device_id', text, (column) => column.notNull().references('device.id').onDelete('cascade'))
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
};
