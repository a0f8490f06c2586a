import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createBackup, describeCounts, inMebibytes } from './backup/backup.ts';
import { BackupError } from './backup/backup-error.ts';
import type { Manifest } from './backup/archive.ts';
import { restoreBackup } from './backup/restore.ts';
import { ConfigError, readConfig } from './config.ts';
import { isDiskFull } from './platform/storage/disk-full.ts';
import { DirectoryInUse } from './platform/storage/lock-directory.ts';

/** `npm run backup -- FILE` and `npm run restore -- FILE`. */
const main = async (): Promise<void> => {
  // A backup contains secrets: only the owner can read it.
  process.umask(0o077);
  const [, , option, file] = process.argv;
  const isRestore = option === '--restore';
  if (file === undefined)
    throw new BackupError(`Name a file: npm run ${isRestore ? 'restore' : 'backup'} -- penstock.tar`);
  const { dataDir } = readConfig(process.env);
  // npm runs scripts in the folder of the project, not in that of the caller.
  const archive = resolve(process.env['INIT_CWD'] ?? '.', file);
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  const print = ({ files, counts, takenAt }: Manifest, done: string) =>
    process.stdout.write(
      `\n${done}\n  ${describeCounts(counts)}\n  ${Object.entries(files)
        .map(([name, { bytes }]) => `${name} ${inMebibytes(bytes)}`)
        .join(', ')}; taken ${takenAt}\n\n`,
    );
  if (isRestore) {
    const manifest = await restoreBackup({ dataDir, archive, report });
    print(manifest, `Restored into ${dataDir}. Start Penstock: npm start`);
  } else {
    const manifest = await createBackup({ dataDir, archive, version, now: Date.now, report });
    print(manifest, `Backup written to ${archive}. It contains all keys and secrets: keep it private.`);
  }
};

await main().catch((error: unknown) => {
  const isExpected =
    error instanceof BackupError || error instanceof ConfigError || error instanceof DirectoryInUse;
  if (!isExpected && !isDiskFull(error)) throw error;
  const line = isExpected ? error.message : 'The disk is full. Free space, then try again.';
  process.stderr.write(`penstock: ${line}\n`);
  process.exit(1);
});
