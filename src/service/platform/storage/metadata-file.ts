import { join } from 'node:path';
import { isDamage } from './damaged-file.ts';
import { UnusableDatabase } from './database.ts';
import { isFilled } from './dialects/sqlite.ts';

export const metadataPath = (dataDir: string): string => join(dataDir, 'penstock.db');

/** Whether the data directory has a metadata database. */
export const hasMetadata = (dataDir: string): boolean => isFilled(metadataPath(dataDir));

/** Prevents a start with new devices, pipelines and keys beside existing samples. @throws UnusableDatabase */
export const requireMetadata = (dataDir: string): void => {
  if (hasMetadata(dataDir) || !isFilled(join(dataDir, 'telemetry.db'))) return;
  throw new UnusableDatabase(
    `DATA_DIR "${dataDir}" holds telemetry.db, but penstock.db is missing or empty. Move telemetry.db away, then restore both from a backup or start with an empty database.`,
    { isFinal: true },
  );
};

/** Runs work that uses penstock.db. @throws UnusableDatabase if the file is damaged, and the errors of the work */
export const explainDamage = async <T>(dataDir: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new UnusableDatabase(
      `penstock.db in DATA_DIR "${dataDir}" is damaged (${error.message}). Move penstock.db and telemetry.db away with their -wal and -shm files, restore both from a backup, then start Penstock again.`,
      { cause: error, isFinal: true },
    );
  }
};
