import { randomFillSync } from 'node:crypto';
import { statSync, truncateSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK_BYTES = 1_048_576;

/** Appends random bytes, which no file system compresses. @throws the error of the disk */
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

/** A file in the data directory that only occupies space. It is shortened step by step while the disk is full. */
export const createDiskReserve = (directory: string, bytes: number) => {
  const path = join(directory, 'disk-reserve');
  const probePath = join(directory, 'disk-probe');
  const heldBytes = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    heldBytes,
    missingBytes: (): number => Math.max(0, bytes - heldBytes()),
    /** Releases up to this number of bytes. */
    release: (maxBytes: number): void => {
      const held = heldBytes();
      if (held > 0) truncateSync(path, Math.max(0, held - maxBytes));
    },
    /** Writes the missing bytes, at most `limit`. @throws the error of the disk */
    fill: async (limit = Number.POSITIVE_INFINITY): Promise<void> => {
      const missing = Math.min(limit, bytes - heldBytes());
      if (missing > 0) await append(path, missing);
    },
    /** Tests for free space: writes a file and deletes it. @throws the error of the disk */
    probe: async (probeBytes: number): Promise<void> => {
      try {
        await append(probePath, probeBytes);
      } finally {
        await rm(probePath, { force: true });
      }
    },
  };
};
