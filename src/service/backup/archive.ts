import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { create, extract, list, type ReadEntry } from 'tar';
import * as z from 'zod';
import { BackupError } from './backup-error.ts';
import { DATA_FILES, type Counts, type DataFile } from './data-files.ts';

export const MANIFEST = 'manifest.json';
const MAX_MANIFEST_BYTES = 65_536;

const digestSchema = z.object({ bytes: z.int(), sha256: z.string() });
const countSchema = z.int();

/** The first entry of a backup: what the other entries must be. */
const manifestSchema = z.object({
  penstock: z.string(),
  takenAt: z.iso.datetime(),
  files: z.object({ 'penstock.db': digestSchema, 'telemetry.db': digestSchema }),
  counts: z.object({
    devices: countSchema,
    pipelines: countSchema,
    apiKeys: countSchema,
    events: countSchema,
    samples: countSchema,
  } satisfies Record<keyof Counts, z.ZodType<number>>),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type Digest = z.infer<typeof digestSchema>;

const digestOf = async (content: AsyncIterable<Buffer>): Promise<Digest> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

export const digestOfFile = (path: string): Promise<Digest> => digestOf(createReadStream(path));

const requireDigests = (found: ReadonlyMap<string, Digest>, { files }: Manifest, archive: string): void => {
  const wrong = DATA_FILES.find((file) => {
    const digest = found.get(file);
    return digest?.bytes !== files[file].bytes || digest.sha256 !== files[file].sha256;
  });
  if (wrong !== undefined)
    throw new BackupError(`${archive} is damaged: ${wrong} is missing, or its checksum is wrong.`);
};

/** The stream of an entry. tar declares its own type of stream. */
const contentOf = (entry: ReadEntry) => entry as unknown as AsyncIterable<Buffer>;

/** Reads the entries of an archive that `wants` selects, one after another. */
const readEntries = async <T>(
  archive: string,
  wants: (path: string) => boolean,
  read: (content: AsyncIterable<Buffer>) => Promise<T>,
): Promise<Map<string, T>> => {
  const reading: Promise<readonly [string, T]>[] = [];
  await list({
    file: archive,
    strict: true,
    filter: wants,
    onReadEntry: (entry) =>
      void reading.push(read(contentOf(entry)).then((result) => [entry.path, result] as const)),
  });
  return new Map(await Promise.all(reading));
};

/** Writes the files of a folder into an archive, the manifest first, and reads the archive back. */
export const writeArchive = async (archive: string, folder: string, manifest: Manifest): Promise<void> => {
  await create({ file: archive, cwd: folder, portable: true, strict: true }, [MANIFEST, ...DATA_FILES]);
  await chmod(archive, 0o600);
  requireDigests(await readEntries(archive, () => true, digestOf), manifest, archive);
};

const textOf = async (content: AsyncIterable<Buffer>): Promise<string> => {
  let text = '';
  for await (const chunk of content) if (text.length < MAX_MANIFEST_BYTES) text += chunk.toString();
  return text;
};

/** Errors of the format have a code of tar, errors of the disk have one of the system. */
const isFormatError = (error: unknown): boolean => error instanceof Error && 'tarCode' in error;

/** The size of the databases of an archive. */
export const databaseBytesIn = ({ files }: Manifest): number =>
  DATA_FILES.reduce((sum, file) => sum + files[file].bytes, 0);

/** Reads the manifest of an archive. @throws BackupError if there is no such file, or it is no backup */
export const readManifest = async (archive: string): Promise<Manifest> => {
  if (!existsSync(archive)) throw new BackupError(`There is no file ${archive}.`);
  const texts = await readEntries(archive, (path) => path === MANIFEST, textOf).catch((error: unknown) => {
    if (!isFormatError(error)) throw error;
    return new Map<string, string>();
  });
  try {
    return manifestSchema.parse(JSON.parse(texts.get(MANIFEST) ?? ''));
  } catch {
    throw new BackupError(`${archive} is not a backup of Penstock, or it is truncated.`);
  }
};

const isDataFile = (path: string): path is DataFile => (DATA_FILES as readonly string[]).includes(path);

/** Extracts the databases of an archive into a folder. Other entries are ignored. @throws BackupError */
export const extractArchive = async (archive: string, folder: string, manifest: Manifest): Promise<void> => {
  await extract({
    file: archive,
    cwd: folder,
    strict: true,
    preserveOwner: false,
    filter: (path, entry) =>
      isDataFile(path) &&
      'type' in entry &&
      entry.type === 'File' &&
      entry.size === manifest.files[path].bytes,
  });
  const found = new Map<string, Digest>();
  for (const file of DATA_FILES.filter((name) => existsSync(join(folder, name)))) {
    await chmod(join(folder, file), 0o600);
    found.set(file, await digestOfFile(join(folder, file)));
  }
  requireDigests(found, manifest, archive);
};
