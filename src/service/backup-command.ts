import { dirname } from 'node:path';
import { getArchiveArgument } from './archive-argument.ts';
import { createBackup } from './backup/backup.ts';
import { BackupError, isSystemError } from './backup/backup-error.ts';
import type { Manifest } from './backup/archive.ts';
import { DATA_FILES, describeCounts, listDataFiles } from './backup/data-files.ts';
import { restoreBackup } from './backup/restore.ts';
import { ConfigError, readConfig } from './config.ts';
import { formatMebibytes } from './platform/storage/format-mebibytes.ts';
import { isDiskFull } from './platform/storage/disk-full.ts';
import { DirectoryInUse } from './platform/storage/lock-directory.ts';

const printSummary = ({ files, counts, takenAt }: Manifest, headline: string): void => {
  const sizes = Object.entries(files).map(([name, { bytes }]) => `${name} ${formatMebibytes(bytes)}`);
  process.stdout.write(
    `\n${headline}\n  ${describeCounts(counts)}\n  ${sizes.join(', ')}; taken ${takenAt}\n\n`,
  );
};

const USE_PG_DUMP =
  'Penstock backs up and restores the files of DATA_DIR, but this service keeps its data on database servers (DATABASE_URL, TELEMETRY_URL). Use pg_dump and pg_restore: docs/postgresql.md. For ClickHouse: docs/clickhouse.md.';

/** For a service with one database on a server. */
const copyFile = (file: string, dataDir: string): string =>
  `Penstock backs up and restores the files of DATA_DIR, but this service keeps only ${file} there. The other database is on a server (DATABASE_URL, TELEMETRY_URL). Stop Penstock, copy "${dataDir}", and use pg_dump for the other database: docs/postgresql.md. For ClickHouse: docs/clickhouse.md.`;

/** `penstock backup FILE` and `penstock restore FILE`. */
const main = async (): Promise<void> => {
  // A backup contains secrets: only the owner can read it.
  process.umask(0o077);
  const isRestore = process.argv[2] === 'restore';
  const archive = getArchiveArgument(isRestore ? 'restore' : 'backup');
  const config = readConfig(process.env);
  const { dataDir } = config;
  const files = listDataFiles(config);
  if (files.length < DATA_FILES.length)
    throw new BackupError(files[0] === undefined ? USE_PG_DUMP : copyFile(files[0], dataDir));
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    if (isRestore)
      printSummary(
        await restoreBackup({ dataDir, archive, report }),
        `Restored into ${dataDir}. Start Penstock with this DATA_DIR.`,
      );
    else
      printSummary(
        await createBackup({ dataDir, archive, now: Date.now, report }),
        `Backup written to ${archive}. It contains all keys and secrets: keep it private.`,
      );
  } catch (error) {
    const folder = isRestore ? dataDir : dirname(archive);
    throw isDiskFull(error)
      ? new BackupError(`The disk of ${folder} is full. Free space, then try again.`)
      : error;
  }
};

await main().catch((error: unknown) => {
  const isExpected =
    error instanceof BackupError ||
    error instanceof ConfigError ||
    error instanceof DirectoryInUse ||
    isSystemError(error);
  if (!isExpected) throw error;
  process.stderr.write(`penstock: ${error.message}\n`);
  process.exit(1);
});
