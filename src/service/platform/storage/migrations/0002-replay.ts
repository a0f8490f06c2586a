import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const replay: Migration = {
  up: async (db: Kysely<unknown>) => {
    // Earlier rejections cannot be replayed, because it is unknown whether their text is complete.
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
};
