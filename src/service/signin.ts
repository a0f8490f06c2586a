import { existsSync } from 'node:fs';
import { ConfigError, readConfig, type Config } from './config.ts';
import { BASE_URL_FACT, makeSigninLink } from './access/signin-link.ts';
import { isDiskFull } from './platform/storage/disk-full.ts';
import { createDiskReserve } from './platform/storage/disk-reserve.ts';
import { explainDamage, metadataPath, requireMetadata } from './platform/storage/metadata-file.ts';
import { findReadOnlyState } from './platform/storage/read-only-state.ts';
import { findFact, openDatabase, UnusableDatabase, type Db } from './platform/storage/database.ts';
import { sqliteDialect } from './platform/storage/dialects/sqlite-dialect.ts';

/** How much of the disk reserve a sign-in link needs on a full disk: the write-ahead log grows by this. */
const LINK_BYTES = 2_097_152;

/** Prints a link, and closes the database. */
const printLink = async (config: Config, db: Db): Promise<void> => {
  const baseUrl =
    config.baseUrl ?? (await findFact(db, BASE_URL_FACT)) ?? `http://${config.host}:${config.port}`;
  const link = await makeSigninLink(db, baseUrl, Date.now());
  process.stdout.write(`\nSign in with this link within 10 minutes. It works once:\n\n  ${link}\n\n`);
  await db.destroy();
};

/** The service usually has a database, but somewhere else. */
const describeMissing = (dataDir: string): string => {
  const origin = process.env.DATA_DIR ? '' : ' (the default, because DATA_DIR is not set)';
  return `There is no database in DATA_DIR "${dataDir}"${origin}. Set DATA_DIR and DATABASE_URL as for the service, then run this command again. If the service has never run, start it once.`;
};

/** Prints a new sign-in link for an operator who is locked out, whether the service is running or not. */
const main = async (): Promise<void> => {
  // Only the owner can read new files, even in a data directory that was created with wider permissions.
  process.umask(0o077);
  const config = readConfig(process.env);
  const { database: address } = config;
  if (address !== undefined) {
    const { openSharedMetadata } = await import('./open-postgres.ts');
    return printLink(config, await openSharedMetadata(address));
  }
  if (config.telemetry === undefined) requireMetadata(config.dataDir);
  const path = metadataPath(config.dataDir);
  if (!existsSync(path)) throw new ConfigError(describeMissing(config.dataDir));
  const readOnlyState = findReadOnlyState(config.dataDir);
  if (readOnlyState !== undefined)
    throw new ConfigError(
      `The disk of DATA_DIR "${config.dataDir}" is ${readOnlyState}. Restart Penstock to get a sign-in link.`,
    );
  const print = async () => printLink(config, await openDatabase(sqliteDialect(path), { mustExist: true }));
  await explainDamage(config.dataDir, print).catch((error: unknown) => {
    if (!isDiskFull(error)) throw error;
    createDiskReserve(config.dataDir, 0).release(LINK_BYTES);
    return print();
  });
};

await main().catch((error: unknown) => {
  if (!(error instanceof ConfigError || error instanceof UnusableDatabase)) throw error;
  process.stderr.write(`penstock: ${error.message}\n`);
  process.exit(1);
});
