import { randomBytes } from 'node:crypto';
import type { Dialect } from 'kysely';
import { Client } from 'pg';
import { postgresDialect } from '#service/platform/storage/dialects/postgres-dialect.ts';

type TestDatabase = { dialect: () => Dialect; drop: () => Promise<void> };

/** A PostgreSQL database of its own for a test service; undefined where the tests run over the embedded one. */
export const createTestDatabase = async (): Promise<TestDatabase | undefined> => {
  const serverUrl = process.env['TEST_DIALECT'] === 'postgres' ? process.env['TEST_POSTGRES_URL'] : undefined;
  if (serverUrl === undefined) return undefined;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const run = async (sql: string) => {
    const client = new Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { dialect: () => postgresDialect(url.href), drop: () => run(`drop database ${name} with (force)`) };
};
