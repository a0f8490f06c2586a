import { basename } from 'node:path';
import { findArchiveArgument } from './archive-argument.ts';
import { BackupError, isSystemError } from './backup/backup-error.ts';
import { listDataFiles, type DataFile } from './backup/data-files.ts';
import { ConfigError, readConfig } from './config.ts';
import type { CheckResult } from './platform/storage/database-check.ts';
import { isDiskFull } from './platform/storage/disk-full.ts';
import { verifyBackup, verifyDataDir, type VerificationReport } from './verify/verify-databases.ts';

const ON_SERVERS =
  'Penstock checks the files of DATA_DIR, but all data of this service is on database servers (DATABASE_URL, TELEMETRY_URL). Use pg_amcheck: docs/postgresql.md. For ClickHouse: docs/clickhouse.md.';

/** One line that each step of a long check replaces. Only on a terminal. */
const showProgress = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
};

const printResult = (file: DataFile, result: CheckResult): void => {
  const { name, state, summary, problems, problemCount, advice } = result;
  showProgress('');
  const shown = state === 'damaged' ? 'DAMAGED' : state;
  const lines = [`${file.padEnd(13)} ${name.padEnd(13)} ${shown.padEnd(8)} ${summary}`.trimEnd()];
  for (const problem of problems) lines.push(`  ${problem}`);
  if (problemCount > problems.length) lines.push(`  … and ${problemCount - problems.length} more`);
  if (problemCount > 0) lines.push(`  What to do: ${advice}`);
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** `penstock verify`, or `penstock verify FILE` for a backup. */
const main = async (): Promise<void> => {
  // A backup is extracted, and contains secrets: only the owner can read it.
  process.umask(0o077);
  const archive = findArchiveArgument('verify');
  const names: Record<CheckResult['state'], string[]> = { ok: [], damaged: [], skipped: [] };
  const report: VerificationReport = {
    onProgress: (name, check, done) =>
      showProgress(`${name} ${check}${done > 0 ? `: ${Math.floor(done * 100)} %` : ''}`),
    onResult: (name, result) => {
      printResult(name, result);
      names[result.state].push(`${name} (${result.name})`);
    },
  };
  if (archive === undefined) {
    const config = readConfig(process.env);
    const files = listDataFiles(config);
    if (files.length === 0) throw new BackupError(ON_SERVERS);
    await verifyDataDir(config.dataDir, files, report);
  } else {
    const { penstock, takenAt } = await verifyBackup(archive, report);
    process.stdout.write(
      `${basename(archive)}: checksums ok, written by Penstock ${penstock}, taken ${takenAt}\n`,
    );
  }
  const { damaged, skipped } = names;
  const notChecked = skipped.length === 0 ? '' : ` Not checked: ${skipped.join(', ')}.`;
  if (damaged.length > 0) throw new BackupError(`Damaged: ${damaged.join(', ')}.${notChecked}`);
  process.stdout.write(`No damage found.${notChecked}\n`);
};

await main().catch((error: unknown) => {
  const isExpected = error instanceof BackupError || error instanceof ConfigError || isSystemError(error);
  if (!isExpected && !isDiskFull(error)) throw error;
  process.stderr.write(`penstock: ${(error as Error).message}\n`);
  process.exit(1);
});
