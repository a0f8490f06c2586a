import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.ts';
import { CHECKSUM_BYTES, verifyChecksum, writeChecksum } from './checksum.ts';
import { decodeIntegers, encodeIntegers } from './integer-coding.ts';
import { decodeNumbers, encodeNumbers } from './number-coding.ts';
import type { Samples } from './samples.ts';

/** The first byte of a coded chunk. */
const FORMAT = { plain: 1, zstd: 2 } as const;
/** Compression costs time with every read: it has to save this share. */
const LEAST_SAVING = 0.2;
/** Below this, compression saves little compared with the row itself, and takes as long as coding 100 samples. */
const LEAST_BYTES = 256;

const body = new ByteWriter();
const scratch = new ByteWriter();

/** Distinct texts in order of appearance, and for each sample its position among them. */
const encodeTexts = (texts: readonly string[]): void => {
  const positions = new Map<string, number>();
  const column = Float64Array.from(texts, (text) => {
    const position = positions.get(text) ?? positions.size;
    positions.set(text, position);
    return position;
  });
  // JSON escapes lone surrogates, which UTF-8 cannot hold.
  body.text(JSON.stringify([...positions.keys()]));
  encodeIntegers(body, column);
};

const decodeTexts = (bytes: ByteReader, count: number): string[] => {
  const texts: unknown = JSON.parse(bytes.text());
  if (!Array.isArray(texts)) throw new RangeError('A chunk has no list of texts.');
  return Array.from(decodeIntegers(bytes, count), (position) => String(texts[position]));
};

/** Puts the format before the content, and a checksum after it. */
const frameContent = (format: number, content: Uint8Array): Uint8Array => {
  const framed = new Uint8Array(1 + content.length + CHECKSUM_BYTES);
  framed[0] = format;
  framed.set(content, 1);
  return writeChecksum(framed);
};

/** Codes samples for the chunk table; the table keeps their number. */
export const encodeChunk = ({ ts, cells }: Samples): Uint8Array => {
  body.reset();
  encodeIntegers(body, ts);
  if (cells instanceof Float64Array) encodeNumbers(body, cells, scratch);
  else encodeTexts(cells);
  const plain = body.finish();
  if (plain.length < LEAST_BYTES) return frameContent(FORMAT.plain, plain);
  const packed = zstdCompressSync(plain);
  return packed.length > plain.length * (1 - LEAST_SAVING)
    ? frameContent(FORMAT.plain, plain)
    : frameContent(FORMAT.zstd, packed);
};

/** More than the texts of a chunk take. */
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

const contentOf = (format: number | undefined, content: Uint8Array): Uint8Array => {
  if (format === FORMAT.plain) return content;
  if (format !== FORMAT.zstd) throw new RangeError(`A chunk has the unknown format ${format}.`);
  return zstdDecompressSync(content, { maxOutputLength: MAX_DECOMPRESSED_BYTES });
};

/** @throws RangeError where the bytes are not those of a chunk with `count` samples */
export const decodeChunk = (coded: Uint8Array, count: number, isText: boolean): Samples => {
  const framed = verifyChecksum(coded);
  const bytes = new ByteReader(contentOf(framed[0], framed.subarray(1)));
  const ts = decodeIntegers(bytes, count);
  const cells = isText ? decodeTexts(bytes, count) : decodeNumbers(bytes, count);
  if (!bytes.isAtEnd) throw new RangeError('A chunk is longer than its samples.');
  return { ts, cells };
};
