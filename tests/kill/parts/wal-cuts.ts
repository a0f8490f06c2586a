import { readFileSync, writeFileSync } from 'node:fs';

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALT = { at: 16, bytes: 8 } as const;
const PAGE_SIZE_AT = 8;
const FRAME_SALT_AT = 8;
/** In the header of the last frame of a transaction: the size of the database. 0 in other frames. */
const FRAME_DATABASE_SIZE_AT = 4;

/** The end of each transaction in a write-ahead log, in bytes, in order. */
export const commitsIn = (wal: Buffer): number[] => {
  if (wal.length < HEADER_BYTES) return [];
  const frameBytes = FRAME_HEADER_BYTES + wal.readUInt32BE(PAGE_SIZE_AT);
  const salt = wal.subarray(SALT.at, SALT.at + SALT.bytes);
  const ends: number[] = [];
  for (let at = HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    if (!wal.subarray(at + FRAME_SALT_AT, at + FRAME_SALT_AT + SALT.bytes).equals(salt)) break;
    if (wal.readUInt32BE(at + FRAME_DATABASE_SIZE_AT) > 0) ends.push(at + frameBytes);
  }
  return ends;
};

/** Truncates a log to its first `kept` bytes, if it has as many, followed by `torn` bytes of garbage in place of others. */
export const cutWal = (path: string, kept: number, torn: number): void => {
  const wal = readFileSync(path);
  const others = wal.subarray(kept);
  writeFileSync(path, Buffer.concat([wal.subarray(0, kept), others.subarray(0, torn).fill(0xa5)]));
};
