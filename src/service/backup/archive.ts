import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { create, extract, list } from 'tar';
import * as z from 'zod';
import { BackupError } from './backup-error.ts';
import { DATA_FILES, type Counts, type DataFile } from './data-files.ts';

export const MANIFEST = 'manifest.json';
const MAX_MANIFEST_BYTES = 65_536;

const fileSchema = z.object({ bytes: z.int(), sha256: z.string() });
const countSchema = z.int();

/** The first entry of a backup: what the other entries must be. */
const manifestSchema = z.object({
  penstock: z.string(),
  takenAt: z.iso.datetime(),
  files: z.object({ 'penstock.db': fileSchema, 'telemetry.db': fileSchema }),
  counts: z.object({
    devices: countSchema,
    pipelines: countSchema,
    apiKeys: countSchema,
    events: countSchema,
    samples: countSchema,
  } satisfies Record<keyof Counts, z.ZodType<number>>),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type FileDigest = z.infer<typeof fileSchema>;

const digestOf = async (content: AsyncIterable<Buffer>): Promise<FileDigest> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

export const digestOfFile = (path: string): Promise<FileDigest> => digestOf(createReadStream(path));

const isSame = (a: FileDigest | undefined, b: FileDigest): boolean =>
  a?.bytes === b.bytes && a.sha256 === b.sha256;

const requireSame = (found: ReadonlyMap<string, FileDigest>, { files }: Manifest, archive: string): void => {
  const wrong = DATA_FILES.find((file) => !isSame(found.get(file), files[file]));
  if (wrong !== undefined)
    throw new BackupError(`${archive} is damaged: ${wrong} is missing or not as it was written.`);
};

/** Writes the files of a folder into an archive, the manifest first, and reads the archive back. */
export const writeArchive = async (archive: string, folder: string, manifest: Manifest): Promise<void> => {
  await create({ file: archive, cwd: folder, portable: true }, [MANIFEST, ...DATA_FILES]);
  const found = new Map<string, FileDigest>();
  const reading: Promise<unknown>[] = [];
  await list({
    file: archive,
    strict: true,
    onReadEntry: (entry) =>
      void reading.push(
        digestOf(entry as unknown as AsyncIterable<Buffer>).then((digest) => found.set(entry.path, digest)),
      ),
  });
  await Promise.all(reading);
  requireSame(found, manifest, archive);
};

/** Reads the manifest of an archive. @throws BackupError if the file is no backup */
export const readManifest = async (archive: string): Promise<Manifest> => {
  const notABackup = new BackupError(`${archive} is not a backup of Penstock, or it is cut off.`);
  let text = '';
  const reading: Promise<void>[] = [];
  const readText = async (entry: AsyncIterable<Buffer>) => {
    for await (const chunk of entry) if (text.length < MAX_MANIFEST_BYTES) text += chunk.toString();
  };
  await list({
    file: archive,
    strict: true,
    filter: (path) => path === MANIFEST,
    onReadEntry: (entry) => void reading.push(readText(entry as unknown as AsyncIterable<Buffer>)),
  }).catch(() => {
    throw notABackup;
  });
  await Promise.all(reading);
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    throw notABackup;
  }
};

/** Extracts the databases of an archive into a folder. Other entries are ignored. @throws BackupError */
export const extractArchive = async (archive: string, folder: string, manifest: Manifest): Promise<void> => {
  const isExpected = (path: string): path is DataFile => (DATA_FILES as readonly string[]).includes(path);
  await extract({
    file: archive,
    cwd: folder,
    filter: (path, entry) =>
      isExpected(path) &&
      'type' in entry &&
      entry.type === 'File' &&
      entry.size === manifest.files[path].bytes,
  });
  const found = new Map<string, FileDigest>();
  for (const file of DATA_FILES) {
    const path = join(folder, file);
    if ((await stat(path).catch(() => undefined)) !== undefined) found.set(file, await digestOfFile(path));
  }
  requireSame(found, manifest, archive);
};
