import { expect, it, onTestFinished } from 'vitest';
import { SIGNIN } from './built-service.ts';
import { connectTo } from './postgres-client.ts';
import { runProgram } from './run-program.ts';
import { startTestService } from './start-test-service.ts';
import { createEmptyDatabase } from './test-database.ts';

const createDatabase = async () => {
  const { url, drop } = await createEmptyDatabase();
  const client = await connectTo(url);
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  const startOnce = async () => (await startTestService({ env: { DATABASE_URL: url } })).close();
  return { url, client, startOnce };
};

it('tables of another program in another schema do not disturb a start', async () => {
  const { client, startOnce } = await createDatabase();
  await client.query(`create schema other;
    create table other.kysely_migration (name text, timestamp text);
    insert into other.kysely_migration values ('0001-foreign', '2020-01-01');
    create table other.telemetry_migration (name text, timestamp text)`);
  await startOnce();
  const { rows } = await client.query('select name from other.kysely_migration');
  expect(rows).toEqual([{ name: '0001-foreign' }]);
});

it('a sign-in link is not printed from a database of an older version, which stays as it is', async () => {
  const { url, client, startOnce } = await createDatabase();
  await startOnce();
  const last = await client.query(
    'delete from kysely_migration where name = (select max(name) from kysely_migration) returning name',
  );
  expect(last.rowCount).toBe(1);
  const { code, stderr } = await runProgram([SIGNIN], { DATABASE_URL: url }).ended;
  expect(code).toBe(1);
  expect(stderr).toBe(
    'penstock: The database of DATABASE_URL was written by an older version of Penstock. Stop its processes, then start this version once, which migrates it.\n',
  );
});
