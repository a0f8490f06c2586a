import { join } from 'node:path';
import { listDataFiles, type DataFile } from './backup/data-files.ts';
import { snapshotBeforeMigration } from './backup/migration-snapshot.ts';
import type { Config } from './config.ts';
import type { PostgresDependencies, ServiceDatabase } from './open-postgres.ts';
import { openDatabase } from './platform/storage/database.ts';
import type { DiskGuard } from './platform/storage/disk-guard.ts';
import { isFilled } from './platform/storage/dialects/sqlite.ts';
import { sqliteDialect } from './platform/storage/dialects/sqlite-dialect.ts';
import { soleLease } from './platform/storage/lease.ts';
import { metadataPath, requireMetadata } from './platform/storage/metadata-file.ts';
import type { ReadOnlyState } from './platform/storage/read-only-state.ts';
import { isClickHouseAddress } from './telemetry/store/clickhouse/clickhouse-address.ts';
import { openTelemetryFile } from './telemetry/store/embedded/telemetry-file.ts';
import { soleWriter } from './telemetry/store/write-coordinator.ts';
import type { OpenedTelemetry } from './telemetry/store/opened-telemetry.ts';

type OpenDependencies = PostgresDependencies & {
  config: Config;
  disk: DiskGuard;
  readOnlyState: ReadOnlyState | undefined;
  onTelemetryEnd: (error: Error) => void;
};

/** Copies databases that are files and that this version migrates. @throws UnusableDatabase if there is no room */
export const keepSnapshot = async ({ config, disk, readOnlyState, log }: OpenDependencies): Promise<void> => {
  if (readOnlyState !== undefined || config.migrationSnapshot === 'none') return;
  const files = listDataFiles(config);
  // Opening a database takes some space.
  await disk.withReserve(() => snapshotBeforeMigration({ dataDir: config.dataDir, files, log }));
};

/** Data that was stored before a variable named a server may be missed. */
const warnIfUnused = (file: DataFile, { config, log }: OpenDependencies, variable: string): void => {
  const { dataDir } = config;
  if (isFilled(join(dataDir, file)))
    log.warn({ dataDir }, `${file} in DATA_DIR is not used, because ${variable} is set`);
};

/** Opens the metadata: PostgreSQL, or a file in the data directory. @throws UnusableDatabase */
export const openMetadata = async (dependencies: OpenDependencies): Promise<ServiceDatabase> => {
  const { config, disk, readOnlyState, tracing } = dependencies;
  const { database: address, dataDir } = config;
  if (address === undefined) {
    if (config.telemetry === undefined) requireMetadata(dataDir);
    const isReadOnly = readOnlyState !== undefined;
    const dialect = () => sqliteDialect(metadataPath(dataDir), { disk, isReadOnly });
    const db = await disk.withReserve(() =>
      openDatabase(dialect(), { readOnlyState, onQuery: tracing.onQuery }),
    );
    return {
      db,
      lease: soleLease,
      peers: undefined,
      openCoordinator: () => soleWriter,
      onResumed: () => undefined,
      close: () => db.destroy(),
    };
  }
  warnIfUnused('penstock.db', dependencies, 'DATABASE_URL');
  // Most services have no PostgreSQL, and need not load its driver.
  const { openPostgresMetadata } = await import('./open-postgres.ts');
  return openPostgresMetadata(address, dependencies);
};

/** Opens the telemetry: PostgreSQL, ClickHouse, or a file in the data directory. @throws UnusableDatabase */
export const openTelemetry = async (
  dependencies: OpenDependencies,
  {
    db,
    openCoordinator,
    now,
    onProblem,
  }: Pick<ServiceDatabase, 'db' | 'openCoordinator'> & { now: () => number; onProblem: () => void },
): Promise<OpenedTelemetry> => {
  const { config, disk, readOnlyState, log, onTelemetryEnd } = dependencies;
  const { telemetry: address, dataDir, metricsPerDevice } = config;
  if (address === undefined) {
    const isReadOnly = readOnlyState !== undefined;
    return openTelemetryFile({
      dataDir,
      db,
      disk,
      isReadOnly,
      metricsPerDevice,
      log,
      now,
      onProblem,
      onThreadEnd: onTelemetryEnd,
    });
  }
  warnIfUnused('telemetry.db', dependencies, config.database === address ? 'DATABASE_URL' : 'TELEMETRY_URL');
  if (isClickHouseAddress(address)) {
    const { openClickHouseTelemetry } = await import('./open-clickhouse.ts');
    if (config.database !== undefined) {
      const { requireSameTelemetry } = await import('./open-postgres.ts');
      await requireSameTelemetry(db, `${address.place}/${address.database}`, 'TELEMETRY_URL');
    }
    return openClickHouseTelemetry(address, { ...dependencies, coordinator: openCoordinator() });
  }
  const { openPostgresTelemetry } = await import('./open-postgres.ts');
  return openPostgresTelemetry(address, dependencies, db);
};
