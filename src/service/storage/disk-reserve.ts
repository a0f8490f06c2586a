import { randomFillSync } from 'node:crypto';
import { statSync, truncateSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK_BYTES = 1_048_576;

/** Really written, and with bytes that no file system compresses. @throws what the disk refuses with */
const append = async (path: string, bytes: number): Promise<void> => {
  const file = await open(path, 'a', 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let left = bytes; left > 0; left -= CHUNK_BYTES)
      await file.write(randomFillSync(chunk), 0, Math.min(left, CHUNK_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
};

/** A file of the data directory that holds nothing but room, given up bit by bit while the disk is full. */
export const createDiskReserve = (directory: string, bytes: number) => {
  const path = join(directory, 'disk-reserve');
  const probePath = join(directory, 'disk-probe');
  const heldBytes = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    heldBytes,
    missingBytes: (): number => Math.max(0, bytes - heldBytes()),
    /** Gives so many bytes up, or what there is. */
    release: (some: number): void => {
      const held = heldBytes();
      if (held > 0) truncateSync(path, Math.max(0, held - some));
    },
    /** Writes what is missing, up to `limit` bytes. @throws what the disk refuses with */
    fill: async (limit = Number.POSITIVE_INFINITY): Promise<void> => {
      const missing = Math.min(limit, bytes - heldBytes());
      if (missing > 0) await append(path, missing);
    },
    /** Writes something and deletes it. @throws what the disk refuses with */
    probe: async (probeBytes: number): Promise<void> => {
      try {
        await append(probePath, probeBytes);
      } finally {
        await rm(probePath, { force: true });
      }
    },
  };
};
