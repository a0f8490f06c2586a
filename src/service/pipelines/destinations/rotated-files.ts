import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { DeliveryFailure } from './destination.ts';
import { cutPartialLine } from './cut-partial-line.ts';
import { ensureExportFolder } from './export-folder.ts';
import { exportNames, nextExportName } from './export-names.ts';
import { savePosition, readPosition, type ExportPosition } from './export-position.ts';

const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;
const MOST_PIPELINES = 200;
/** After a restart, a delivery in parts is repeated from its first part. */
const MOST_PARTS = 32;

/** Folders in use, with their destinations: a second writer would truncate the files of the first. */
const holders = new Map<string, { owner: string; released: Promise<void> }>();

type Rotation = {
  /** The ID of the destination. */
  readonly owner: string;
  readonly dataDir: string;
  readonly folder: string;
  readonly format: 'ndjson' | 'csv';
  readonly header: string;
  readonly rotateMegabytes: number;
  readonly rotateHours: number;
  readonly keepFiles: number | undefined;
  readonly now: () => number;
};

const appendTo = (path: string, flags = 0): Promise<FileHandle> =>
  open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | flags, 0o600);

/** Includes the content: the same ID with other samples is another delivery. */
const digestOf = (delivery: string, lines: string): string =>
  createHash('sha256').update(JSON.stringify(delivery)).update(lines).digest('base64url').slice(0, 22);

/**
 * Appends lines to files, one file at a time, named by their start time. The position of the last delivery is stored in
 * the folder: after a crash, incomplete bytes are truncated, and a repeated delivery is not written again.
 */
export const createRotatedFiles = (rotation: Rotation) => {
  const { owner, dataDir, folder, format, header, rotateMegabytes, rotateHours, keepFiles, now } = rotation;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let path: string | undefined;
  let position: ExportPosition | undefined;
  let handle: FileHandle | undefined;

  const closeFile = async (): Promise<void> => {
    const closing = handle;
    [handle, position] = [undefined, undefined];
    await closing?.close();
  };

  const removeOldest = async (at: string): Promise<void> => {
    if (keepFiles === undefined) return;
    const closed = exportNames(await readdir(at)).filter(
      (name) => handle === undefined || name !== position?.file,
    );
    for (const name of closed.slice(0, Math.max(0, closed.length - keepFiles))) await rm(join(at, name));
  };

  /** Continues the previous file if it is unchanged. */
  const resume = async (at: string): Promise<void> => {
    position = await readPosition(at);
    if (position === undefined) {
      const newest = exportNames(await readdir(at)).at(-1);
      if (newest !== undefined) await cutPartialLine(join(at, newest));
      return;
    }
    const file = join(at, position.file);
    const size = await stat(file).then(
      (found) => found.size,
      () => -1,
    );
    if (size < position.bytes) return;
    handle = await appendTo(file);
    if (size > position.bytes) await handle.truncate(position.bytes);
  };

  const begin = async (at: string): Promise<void> => {
    await handle?.close();
    handle = undefined;
    const before = position?.file;
    const taken = exportNames([...(await readdir(at)), ...(before === undefined ? [] : [before])]);
    const file = nextExportName(format, now(), taken);
    position = { file, bytes: 0, begunAtMs: now(), deliveries: position?.deliveries ?? [] };
    await savePosition(at, position);
    handle = await appendTo(join(at, file), constants.O_CREAT | constants.O_EXCL);
    await removeOldest(at);
  };

  /** False if someone moved or deleted the file. */
  const isInPlace = async (file: string, bytes: number): Promise<boolean> => {
    if (handle === undefined) return false;
    const [own, there] = [await handle.stat(), await stat(file).catch(() => undefined)];
    return own.ino === there?.ino && own.dev === there.dev && own.size === bytes;
  };

  const isDone = ({ file, bytes, begunAtMs }: ExportPosition): boolean =>
    bytes >= rotateMegabytes * MEGABYTE ||
    // The absolute difference: the clock may have been set back since.
    Math.abs(now() - begunAtMs) >= rotateHours * HOUR_MS ||
    !file.endsWith(`.${format}`);

  const prepare = async (): Promise<string> => {
    const { path: at } = await ensureExportFolder(dataDir, folder);
    const held = () => (path === undefined ? holders.get(at) : undefined);
    for (let holder = held(); holder !== undefined; holder = held()) {
      if (holder.owner !== owner)
        throw new DeliveryFailure(
          'unavailable',
          `Another destination writes to exports/${folder}. Choose another folder.`,
        );
      // The destination was just changed, and its previous instance is closing.
      await holder.released;
    }
    holders.set(at, { owner, released });
    path = at;
    await resume(at);
    await removeOldest(at);
    return at;
  };

  return {
    /** Resolves after the lines are on disk. Each `delivery` is written once. */
    append: async (pipeline: string, delivery: string, lines: string): Promise<void> => {
      try {
        const at = position === undefined || path === undefined ? await prepare() : path;
        const digest = digestOf(delivery, lines);
        const previousDigests = position?.deliveries.find(([of]) => of === pipeline)?.[1] ?? [];
        if (previousDigests.includes(digest)) return;
        const isOpen = position !== undefined && (await isInPlace(join(at, position.file), position.bytes));
        if (!isOpen || position === undefined || isDone(position)) await begin(at);
        const { bytes, deliveries, ...file } = position!;
        const text = Buffer.from(bytes === 0 ? `${header}${lines}` : lines);
        await handle!.appendFile(text);
        await handle!.sync();
        const others = deliveries.filter(([of]) => of !== pipeline).slice(1 - MOST_PIPELINES);
        const next = {
          ...file,
          bytes: bytes + text.length,
          deliveries: [...others, [pipeline, [...previousDigests, digest].slice(-MOST_PARTS)]],
        } satisfies ExportPosition;
        await savePosition(at, next);
        position = next;
      } catch (error) {
        // The next write reads the position from disk.
        await closeFile().catch(() => undefined);
        throw error;
      }
    },
    close: async (): Promise<void> => {
      await closeFile();
      if (path !== undefined) holders.delete(path);
      path = undefined;
      release();
    },
  };
};
