import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const metricSettings: Migration = {
  up: async (db: Kysely<unknown>) => {
    const text = textOf(db);
    await db.schema
      .createTable('metric_settings')
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('device_id', text, (column) => column.references('device.id').onDelete('cascade'))
      .addColumn('metric', text, (column) => column.notNull())
      .addColumn('label', text)
      .addColumn('unit', text)
      .addColumn('decimals', 'integer')
      .addColumn('metric_type', text)
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('metric_settings_pk', ['owner', 'metric'])
      .execute();
    // Deleting a device looks for its settings.
    await db.schema
      .createIndex('metric_settings_by_device')
      .on('metric_settings')
      .column('device_id')
      .execute();
  },
};
