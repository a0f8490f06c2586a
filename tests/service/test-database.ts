import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#service/platform/storage/database.ts';
import { readPostgresAddress } from '#service/platform/storage/dialects/postgres-address.ts';
import { postgresDialect } from '#service/platform/storage/dialects/postgres-dialect.ts';
import { openPostgresPool } from '#service/platform/storage/dialects/postgres-pool.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { metadataPath } from '#service/platform/storage/metadata-file.ts';
import { runOn } from './postgres-client.ts';

export type TestDatabase = { url: string; drop: () => Promise<void> };

/** A migrated and empty database, which the database of each test service copies. */
const TEMPLATE = 'migrated';

const databaseUrl = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/** Runs once for a server, before `createTestDatabase`. */
export const createTemplate = async (serverUrl: string): Promise<void> => {
  await runOn(serverUrl, `create database ${TEMPLATE}`);
  const address = readPostgresAddress(databaseUrl(serverUrl, TEMPLATE))!;
  const db = await openDatabase(postgresDialect(openPostgresPool(address)));
  await db.destroy();
};

const createDatabase = async (serverUrl: string, template: string): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runOn(serverUrl, `create database ${name} template ${template}`);
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => runOn(serverUrl, `drop database ${name} with (force)`),
  };
};

/** A PostgreSQL database without tables. Only in the project `postgres`. */
export const createEmptyDatabase = (): Promise<TestDatabase> =>
  createDatabase(process.env['TEST_POSTGRES_URL'] ?? '', 'template0');

/** A PostgreSQL database of its own for a test service; undefined where the tests run over the embedded one. */
export const createTestDatabase = async (): Promise<TestDatabase | undefined> => {
  const serverUrl = process.env['TEST_DIALECT'] === 'postgres' ? process.env['TEST_POSTGRES_URL'] : undefined;
  return serverUrl === undefined ? undefined : createDatabase(serverUrl, TEMPLATE);
};

/** A ClickHouse database of its own for a test service; undefined where the tests run over embedded telemetry. */
export const createTestTelemetry = async (): Promise<TestDatabase | undefined> => {
  const serverUrl =
    process.env['TEST_TELEMETRY'] === 'clickhouse' ? process.env['TEST_CLICKHOUSE_URL'] : undefined;
  if (serverUrl === undefined) return undefined;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const { username, password, host } = new URL(serverUrl);
  const run = async (statement: string): Promise<void> => {
    const answer = await fetch(`http://${host}`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
      body: statement,
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  await run(`create database ${name}`);
  return { url: databaseUrl(serverUrl, name), drop: () => run(`drop database ${name}`) };
};

const readMigratedFile = async (): Promise<Buffer> => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-migrated-'));
  await (await openDatabase(sqliteDialect(metadataPath(dir)))).destroy();
  const bytes = readFileSync(metadataPath(dir));
  rmSync(dir, { recursive: true });
  return bytes;
};

let migratedFile: Promise<Buffer> | undefined;

/** Puts a migrated and empty `penstock.db` into a data directory. Each worker of the tests migrates one. */
export const writeMigratedFile = async (dataDir: string): Promise<void> => {
  migratedFile ??= readMigratedFile();
  writeFileSync(metadataPath(dataDir), await migratedFile);
};
