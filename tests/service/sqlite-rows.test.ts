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

it('reads limits, offsets and patterns that are parameters', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-rows-'));
  const db = new Kysely<never>({ dialect: sqliteDialect(join(dir, 'test.db')) });
  try {
    await sql`create table kept (a)`.execute(db);
    await sql`insert into kept values ('a%1'), ('a2'), ('b')`.execute(db);
    const read = async (pattern: string | null, limit: number, offset = 0) => {
      const { rows } = await sql<{ a: string }>`select a from kept where a like ${pattern} escape '!'
        order by a limit ${limit} offset ${offset}`.execute(db);
      return rows.map(({ a }) => a);
    };
    expect(await read('a%', 5)).toEqual(['a%1', 'a2']);
    expect(await read('a!%%', 5)).toEqual(['a%1']);
    expect(await read('%', 2)).toEqual(['a%1', 'a2']);
    expect(await read('%', 2, 1)).toEqual(['a2', 'b']);
    expect(await read('%', 0)).toEqual([]);
    expect(await read(null, 5)).toEqual([]);
  } finally {
    await db.destroy();
    rmSync(dir, { recursive: true });
  }
});
