import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { syncFolder } from './export-folder.ts';
import { isExportName } from './export-names.ts';

const NAME = '.position.json';

const positionSchema = z.object({
  /** The current file, and how many of its bytes are delivered. Later bytes belong to an interrupted delivery. */
  file: z.string().refine(isExportName),
  bytes: z.int().min(0),
  begunAtMs: z.int(),
  /** By pipeline: digests of its latest deliveries, which may be retried. */
  deliveries: z.array(z.tuple([z.string(), z.array(z.string())])),
});

/** How far the files of a folder are written. Stored in the folder. */
export type ExportPosition = Readonly<z.output<typeof positionSchema>>;

/** Undefined if there is none, or it cannot be read. */
export const readPosition = async (folder: string): Promise<ExportPosition | undefined> => {
  try {
    return positionSchema.parse(JSON.parse(await readFile(join(folder, NAME), 'utf8')));
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) return undefined;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Replaces the previous position atomically. Resolves after it is on disk. */
export const savePosition = async (folder: string, position: ExportPosition): Promise<void> => {
  const next = join(folder, `${NAME}.next`);
  const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW } = constants;
  const handle = await open(next, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(JSON.stringify(position));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, join(folder, NAME));
  await syncFolder(folder);
};
