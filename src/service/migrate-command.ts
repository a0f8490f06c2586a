import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { BackupError, isSystemError } from './backup/backup-error.ts';
import { ConfigError, readConfig } from './config.ts';
import { describeProgress, createRateMeter } from './migrate/describe-progress.ts';
import { compareMigration, migrateData, type MigrationDatabase } from './migrate/migrate-data.ts';
import { MigrationError } from './migrate/migration-error.ts';
import { listReferences, openMigrationSource } from './migrate/migration-source.ts';
import { MigrationStopped, type Progress } from './migrate/migration-steps.ts';
import { openPostgresSource } from './migrate/postgres-source.ts';
import type { SampleSource } from './migrate/sample-source.ts';
import { METADATA_LOCK, TELEMETRY_LOCK } from './open-postgres.ts';
import { resolveArgument } from './platform/command-line.ts';
import { UnusableDatabase } from './platform/storage/database.ts';
import { readPostgresAddress, type PostgresAddress } from './platform/storage/dialects/postgres-address.ts';
import type { DatabaseSync } from './platform/storage/dialects/sqlite.ts';
import { explainPostgres, openPostgresDatabase } from './platform/storage/postgres-database.ts';
import type { ExpectedSchema } from './platform/storage/same-schema.ts';
import { TIMEOUTS } from './platform/timeouts.ts';
import { VERSION } from './platform/version.ts';
import {
  isClickHouseAddress,
  readClickHouseAddress,
  type ClickHouseAddress,
} from './telemetry/store/clickhouse/clickhouse-address.ts';
import { TELEMETRY_SCHEMA } from './telemetry/store/postgres/postgres-telemetry-schema.ts';

const USAGE =
  'The options are --from DATA_DIR or postgres://…, --to postgres://USER:PASSWORD@HOST:PORT/DATABASE, --telemetry-to postgres://… or clickhouse://…, and --verify. Without them, DATA_DIR, DATABASE_URL and TELEMETRY_URL are used';

/** The time between two progress lines if stderr is not a terminal. */
const LINE_EVERY_MS = 10_000;
const TERMINAL_EVERY_MS = 250;

/** `variable`: the option or the environment variable that sets the address. */
type Named<Address> = { readonly address: Address; readonly variable: string };

const readOptions = () => {
  try {
    const text = { type: 'string' } as const;
    const options = {
      from: text,
      to: text,
      'telemetry-to': text,
      verify: { type: 'boolean', default: false },
    } as const;
    return parseArgs({ args: process.argv.slice(3), options }).values;
  } catch {
    // The message of the parser may contain a password.
    throw new MigrationError(`An option is unknown or lacks its value. ${USAGE}.`);
  }
};

const readMetadataAddress = (text: string | undefined): Named<PostgresAddress> | undefined => {
  if (text === undefined) return undefined;
  const address = readPostgresAddress(text);
  if (address === undefined)
    throw new MigrationError('--to must be a URL such as postgres://USER:PASSWORD@HOST:PORT/DATABASE.');
  return { address, variable: '--to' };
};

const readTelemetryAddress = (
  text: string | undefined,
): Named<PostgresAddress | ClickHouseAddress> | undefined => {
  if (text === undefined) return undefined;
  const address = readPostgresAddress(text) ?? readClickHouseAddress(text);
  if (address === undefined)
    throw new MigrationError(
      '--telemetry-to must be a URL such as postgres://USER:PASSWORD@HOST:PORT/DATABASE or clickhouse://USER:PASSWORD@HOST:PORT/DATABASE.',
    );
  return { address, variable: '--telemetry-to' };
};

const named = <A>(address: A | undefined, variable: string): Named<A> | undefined =>
  address === undefined ? undefined : { address, variable };

const isUrl = (text: string): boolean => /^[a-z]+:\/\//i.test(text);

/** What is copied: a data directory, or telemetry in PostgreSQL. */
type Origin = { readonly dataDir: string } | { readonly postgres: Named<PostgresAddress> };

const readOrigin = (from: string | undefined, dataDir: string): Origin => {
  if (from === undefined) return { dataDir };
  if (!isUrl(from)) return { dataDir: resolveArgument(from) };
  const address = readPostgresAddress(from);
  if (address === undefined)
    throw new MigrationError(
      '--from must be a DATA_DIR, or a URL such as postgres://USER@HOST:PORT/DATABASE of telemetry in PostgreSQL.',
    );
  return { postgres: { address, variable: '--from' } };
};

/** The source and the databases, by the options and the variables of the service. */
const readSettings = () => {
  const { from, to, 'telemetry-to': telemetryTo, verify } = readOptions();
  const config = readConfig(process.env);
  const origin = readOrigin(from, config.dataDir);
  if ('postgres' in origin && to !== undefined)
    throw new MigrationError(
      'From PostgreSQL, Penstock copies only telemetry, and the metadata stays in its database. Omit --to.',
    );
  const metadata =
    'postgres' in origin ? undefined : (readMetadataAddress(to) ?? named(config.database, 'DATABASE_URL'));
  if (process.env['TELEMETRY_URL'] === 'embedded' && telemetryTo === undefined)
    throw new MigrationError(
      'TELEMETRY_URL is embedded, but this command copies telemetry to a server. Unset it, or specify a database with --telemetry-to.',
    );
  const configured = config.telemetry === config.database ? undefined : config.telemetry;
  const telemetry = readTelemetryAddress(telemetryTo) ?? named(configured, 'TELEMETRY_URL') ?? metadata;
  if ('postgres' in origin && (telemetry === undefined || !isClickHouseAddress(telemetry.address)))
    throw new MigrationError(
      'Telemetry in PostgreSQL can be copied only to ClickHouse. Specify the ClickHouse database with --telemetry-to clickhouse://… or TELEMETRY_URL.',
    );
  if (telemetry === undefined)
    throw new MigrationError(`Specify the database with --to or --telemetry-to. ${USAGE}.`);
  return { origin, metadata, telemetry, verify };
};

const note = (line: string): void => void process.stderr.write(`${line}\n`);

/** Shows the progress in one line of a terminal, or in a line every few seconds. */
const createReporter = () => {
  const { isTTY } = process.stderr;
  const measure = createRateMeter(() => performance.now());
  let shownAtMs = -Infinity;
  return {
    report: (progress: Progress): void => {
      const rate = measure(progress);
      const nowMs = performance.now();
      if (nowMs - shownAtMs < (isTTY ? TERMINAL_EVERY_MS : LINE_EVERY_MS)) return;
      shownAtMs = nowMs;
      const line = describeProgress(progress, rate);
      process.stderr.write(isTTY ? `\r\u001B[K${line}` : `${line}\n`);
    },
    note: (line: string): void => note(isTTY ? `\r\u001B[K${line}` : line),
  };
};

/** Prints why the migration ended, on both outputs, and exits. */
const giveUp = (state: 'stopped' | 'failed', problem: string): never => {
  note(`${process.stderr.isTTY ? '\r\u001B[K' : ''}penstock: ${problem}`);
  process.stdout.write(`${JSON.stringify({ state, penstock: VERSION, problem })}\n`);
  process.exit(1);
};

const nameOf = ({ address, variable }: Named<PostgresAddress | ClickHouseAddress>): string =>
  `The database of ${variable} at ${address.place}`;

const open = async (
  { address, variable }: Named<PostgresAddress>,
  content: 'metadata' | 'telemetry',
  schema?: ExpectedSchema,
): Promise<MigrationDatabase> => ({
  name: nameOf({ address, variable }),
  database: await openPostgresDatabase({
    address,
    variable,
    content,
    lockId: content === 'metadata' ? METADATA_LOCK : TELEMETRY_LOCK,
    mayShare: false,
    schema,
    timeouts: TIMEOUTS,
    log: pino({ level: 'silent' }),
    onUnusable: ({ message }) => giveUp('failed', message),
  }),
});

/** Notes about variables and files that the databases do not contain. */
const listNotes = (
  dataDir: string,
  references: readonly string[],
  metadata: Named<PostgresAddress> | undefined,
): string[] => {
  if (metadata === undefined)
    return [`Everything but the telemetry stays in ${join(dataDir, 'penstock.db')}.`];
  const missing = references.filter((name) => process.env[name] === undefined);
  return [
    'Secrets are stored in the database as they were in penstock.db, so no key is needed to read them.',
    ...(references.length === 0
      ? []
      : [`Pipelines and destinations read these variables of the service: ${references.join(', ')}.`]),
    ...(missing.length === 0 ? [] : [`Not set here: ${missing.join(', ')}. Set them for the service.`]),
    ...(existsSync(join(dataDir, 'exports'))
      ? [`Files of destinations stay in ${join(dataDir, 'exports')}: keep DATA_DIR, or copy this folder.`]
      : []),
  ];
};

const stopOnSignal = (onStop: () => void): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      onStop();
      controller.abort();
    });
  return controller.signal;
};

/** `from`: what is copied, for the output. */
type OpenedSource = {
  readonly from: string;
  readonly telemetry: SampleSource;
  /** Undefined: it is not copied. */
  readonly metadata: DatabaseSync | undefined;
  readonly references: readonly string[];
  readonly notes: readonly string[];
  close(): Promise<void> | void;
};

const openFiles = async (
  dataDir: string,
  metadata: Named<PostgresAddress> | undefined,
): Promise<OpenedSource> => {
  const source = await openMigrationSource(dataDir);
  const references = listReferences(source);
  const notes = listNotes(dataDir, references, metadata);
  return { ...source, from: dataDir, references, notes };
};

const openPostgres = async (named: Named<PostgresAddress>): Promise<OpenedSource> => {
  const { database, name } = await open(named, 'telemetry', TELEMETRY_SCHEMA);
  const { address, variable } = named;
  try {
    const telemetry = await explainPostgres(address, variable, () =>
      openPostgresSource(database, { name, variable }),
    );
    return {
      from: [address.place, address.database].filter((part) => part !== undefined).join('/'),
      telemetry,
      metadata: undefined,
      references: [],
      notes: ['Everything but the telemetry stays where it is. Set TELEMETRY_URL for the service.'],
      close: database.close,
    };
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** `penstock migrate`: prints one line of JSON, also if it fails. */
const main = async (): Promise<void> => {
  const { origin, metadata, telemetry, verify } = readSettings();
  const reporter = createReporter();
  const signal = stopOnSignal(() => reporter.note('Stopping after this step'));
  const startedAtMs = performance.now();
  const source =
    'postgres' in origin ? await openPostgres(origin.postgres) : await openFiles(origin.dataDir, metadata);
  const databases: MigrationDatabase[] = [];
  try {
    const connect = async (named: Named<PostgresAddress>, content: 'metadata' | 'telemetry') => {
      const database = await open(named, content);
      databases.push(database);
      return database;
    };
    reporter.note(
      `Connecting to ${[...new Set([metadata?.address.place, telemetry.address.place])].filter((place) => place !== undefined).join(' and ')}`,
    );
    const work = verify ? compareMigration : migrateData;
    const result = await work({
      source: source.telemetry,
      metadata:
        metadata === undefined || source.metadata === undefined
          ? undefined
          : { from: source.metadata, to: await connect(metadata, 'metadata') },
      telemetry: isClickHouseAddress(telemetry.address)
        ? { clickhouse: telemetry.address, name: nameOf(telemetry) }
        : await connect({ address: telemetry.address, variable: telemetry.variable }, 'telemetry'),
      now: Date.now,
      signal,
      report: reporter.report,
      onRetry: (error, waitMs) => reporter.note(`${error.message} Retrying in ${waitMs / 1_000} s`),
    });
    const { samples, series } = result.telemetry;
    const rows = result.tables.reduce((sum, table) => sum + table.rows, 0);
    const counts = `${rows.toLocaleString('en')} rows of ${result.tables.length} tables, and ${samples.toLocaleString('en')} samples of ${series.toLocaleString('en')} series`;
    reporter.note(`${verify ? 'No differences' : 'Copied and compared'}: ${counts}.`);
    source.notes.forEach(note);
    const seconds = Math.round(performance.now() - startedAtMs) / 1_000;
    const state = verify ? 'equal' : 'finished';
    const { from, references } = source;
    process.stdout.write(
      `${JSON.stringify({ state, penstock: VERSION, from, seconds, ...result, references })}\n`,
    );
  } finally {
    await Promise.all(databases.map(({ database }) => database.close()));
    await source.close();
  }
};

const isExpected = (error: unknown): error is Error =>
  error instanceof MigrationError ||
  error instanceof MigrationStopped ||
  error instanceof BackupError ||
  error instanceof ConfigError ||
  error instanceof UnusableDatabase ||
  isSystemError(error);

await main().catch((error: unknown) => {
  if (!isExpected(error)) throw error;
  if (error instanceof MigrationStopped)
    giveUp('stopped', 'Stopped. Run the same command again to continue.');
  giveUp('failed', error.message);
});
