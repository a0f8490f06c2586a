import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';

it('reads the columns that a table has after it was altered', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-rows-'));
  const db = new Kysely<never>({ dialect: sqliteDialect(join(dir, 'test.db')) });
  try {
    const read = async () => (await sql`select * from kept`.execute(db)).rows;
    await sql`create table kept (a, b)`.execute(db);
    await sql`insert into kept values (1, 'two')`.execute(db);
    expect(await read()).toEqual([{ a: 1, b: 'two' }]);
    await sql`alter table kept drop column a`.execute(db);
    await sql`alter table kept add column c`.execute(db);
    expect(await read()).toEqual([{ b: 'two', c: null }]);
  } finally {
    await db.destroy();
    rmSync(dir, { recursive: true });
  }
});
