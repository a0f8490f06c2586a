import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DeliveryFailure } from './destination.ts';

const EXPORTS = 'exports';

/** Syncs a folder, so that new entries survive a crash. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/**
 * Creates a folder if it is missing, and returns whether it did. Does not follow symbolic links.
 * @throws DeliveryFailure
 */
const ensure = async (path: string): Promise<boolean> => {
  let isNew = true;
  try {
    await mkdir(path, { mode: 0o700 });
    await syncFolder(dirname(path));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    isNew = false;
  }
  if ((await realpath(path)) !== path)
    throw new DeliveryFailure('refused', 'The export folder is a symbolic link. Replace it with a folder.');
  return isNew;
};

/** The real path of `exports/<name>` in the data directory. Creates missing folders. @throws DeliveryFailure */
export const ensureExportFolder = async (
  dataDir: string,
  name: string,
): Promise<{ path: string; isNew: boolean }> => {
  const exports = join(await realpath(dataDir), EXPORTS);
  await ensure(exports);
  const path = join(exports, name);
  return { path, isNew: await ensure(path) };
};

/** Writes a file to the folder and deletes it again. @returns the number of free bytes */
export const tryExportFolder = async (dataDir: string, name: string): Promise<number> => {
  const { path, isNew } = await ensureExportFolder(dataDir, name);
  const file = join(path, `.probe-${randomUUID()}`);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile('\n');
      await handle.sync();
    } finally {
      await handle.close();
      await rm(file);
    }
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } finally {
    if (isNew) await rmdir(path).catch(() => undefined);
  }
};
