import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { naturalKey } from '#contract/natural-key.ts';

const ROWS = 1_000;

type Row = { id: string; name: string; name_key: string };

export const naturalOrder: Migration = {
  up: async (db: Kysely<unknown>) => {
    let after = '';
    for (;;) {
      const { rows } = await sql<Row>`
        select id, name, name_key from device where id > ${after} order by id limit ${ROWS}`.execute(db);
      for (const { id, name, name_key: before } of rows) {
        const key = naturalKey(name);
        if (key !== before) await sql`update device set name_key = ${key} where id = ${id}`.execute(db);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS) return;
      after = last.id;
    }
  },
};
