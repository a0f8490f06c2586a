import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, open, rename, stat, statfs, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { copySnapshot, openSnapshot } from '../platform/storage/dialects/sqlite.ts';
import { digestOfFile, MANIFEST, writeArchive, type Manifest } from './archive.ts';
import { BackupError } from './backup-error.ts';
import { checkDataFile, DATA_FILES, type Counts } from './data-files.ts';

/** Left free on the disk, for a service that goes on writing. */
const SPARE_BYTES = 64 * 1_048_576;

export type Report = (line: string) => void;

export const inMebibytes = (bytes: number): string =>
  `${Math.ceil(bytes / 1_048_576).toLocaleString('en')} MiB`;

export const requireRoom = async (folder: string, neededBytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= neededBytes) return;
  throw new BackupError(
    `${folder} has ${inMebibytes(bavail * bsize)} free, ${inMebibytes(neededBytes)} are needed. Free space, or choose another disk.`,
  );
};

/** Writes a file or folder to the disk. */
export const sync = async (path: string): Promise<void> => {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs work with a temporary folder, which is deleted at its end, or when the program is stopped. */
export const withFolder = async <T>(beside: string, work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(dirname(beside), `.${basename(beside)}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const stop = (signal: NodeJS.Signals) => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(folder);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    remove();
  }
};

export const describeCounts = ({ devices, pipelines, apiKeys, events, samples }: Counts): string =>
  Object.entries({ devices, pipelines, 'API keys': apiKeys, events, samples })
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ');

/** Calls `report` for each tenth that is done. */
const reportTenths = (file: string, report: Report): ((done: number) => void) => {
  let reported = 0;
  return (done) => {
    const tenth = Math.floor(done * 10);
    if (tenth <= reported || tenth === 10) return;
    reported = tenth;
    report(`${file}: ${tenth * 10} %`);
  };
};

/** Copies both databases as they are at one time, whether the service runs or not. */
const copyDatabases = async (dataDir: string, folder: string, report: Report): Promise<void> => {
  const snapshots = DATA_FILES.map((file) => ({ file, db: openSnapshot(join(dataDir, file)) }));
  try {
    for (const { file, db } of snapshots) {
      report(`Copying ${file} (${inMebibytes((await stat(join(dataDir, file))).size)})`);
      await copySnapshot(db, join(folder, file), reportTenths(file, report));
    }
  } finally {
    for (const { db } of snapshots) db.close();
  }
};

/**
 * Writes a backup of a data directory, which may be in use, into one file: a tar archive. @throws BackupError
 */
export const createBackup = async ({
  dataDir,
  archive,
  version,
  now,
  report,
}: {
  dataDir: string;
  archive: string;
  version: string;
  now: () => number;
  report: Report;
}): Promise<Manifest> => {
  const missing = DATA_FILES.find((file) => !existsSync(join(dataDir, file)));
  if (missing !== undefined)
    throw new BackupError(`There is no ${missing} in DATA_DIR "${dataDir}", so there is nothing to back up.`);
  if (existsSync(archive)) throw new BackupError(`${archive} exists. Choose another name, or delete it.`);
  if (!existsSync(dirname(archive)))
    throw new BackupError(`There is no folder ${dirname(archive)}. Create it.`);
  const sizes = await Promise.all(DATA_FILES.map(async (file) => (await stat(join(dataDir, file))).size));
  // The copies, and the archive made from them.
  await requireRoom(dirname(archive), 2 * sizes.reduce((sum, size) => sum + size, 0) + SPARE_BYTES);
  return withFolder(archive, async (folder) => {
    const takenAt = new Date(now()).toISOString();
    await copyDatabases(dataDir, folder, report);
    report('Checking the copies');
    const counts = Object.assign(
      {},
      ...DATA_FILES.map((file) => checkDataFile(file, join(folder, file))),
    ) as Counts;
    const digests = await Promise.all(DATA_FILES.map((file) => digestOfFile(join(folder, file))));
    const files = Object.fromEntries(
      DATA_FILES.map((file, index) => [file, digests[index]]),
    ) as Manifest['files'];
    const manifest = { penstock: version, takenAt, files, counts };
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    report('Writing and reading back the archive');
    const written = join(folder, 'archive.tar');
    await writeArchive(written, folder, manifest);
    await sync(written);
    await rename(written, archive);
    await sync(dirname(archive));
    return manifest;
  });
};
