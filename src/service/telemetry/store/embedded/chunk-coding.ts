import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decodeIntegers, encodeIntegers } from './integer-coding.ts';
import { decodeNumbers, encodeNumbers } from './number-coding.ts';

/** Values of a chunk or head: text as it is, booleans as 0 and 1. */
export type Cells = Float64Array | readonly string[];

/** Samples of one series, by ascending time, no two at the same one. */
export type Samples = { readonly ts: Float64Array; readonly cells: Cells };

/** The first byte of a coded chunk. */
const FORMAT = { plain: 1, zstd: 2 } as const;
/** Compression costs time with every read: it has to save this share. */
const LEAST_SAVING = 0.2;
/** Fewer bytes than this do not get shorter. */
const LEAST_BYTES = 64;
const CHECKSUM_BYTES = 4;

const body = new ByteWriter();
const scratch = new ByteWriter();

/** Distinct texts in order of appearance, and for each sample its place among them. */
const encodeTexts = (texts: readonly string[]): void => {
  const places = new Map<string, number>();
  const column = Float64Array.from(texts, (text) => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  });
  // JSON escapes lone surrogates, which UTF-8 cannot hold.
  body.text(JSON.stringify([...places.keys()]));
  encodeIntegers(body, column);
};

const decodeTexts = (bytes: ByteReader, count: number): string[] => {
  const texts: unknown = JSON.parse(bytes.text());
  if (!Array.isArray(texts)) throw new RangeError('A chunk has no list of texts.');
  return Array.from(decodeIntegers(bytes, count), (place) => String(texts[place]));
};

/** Puts the format before the content and its CRC-32 behind it. */
const seal = (format: number, content: Uint8Array): Uint8Array => {
  const sealed = new Uint8Array(1 + content.length + CHECKSUM_BYTES);
  sealed[0] = format;
  sealed.set(content, 1);
  const end = sealed.length - CHECKSUM_BYTES;
  new DataView(sealed.buffer).setUint32(end, crc32(sealed.subarray(0, end)), true);
  return sealed;
};

/** Codes samples for the chunk table; how many they are is kept beside. */
export const encodeChunk = ({ ts, cells }: Samples): Uint8Array => {
  body.reset();
  encodeIntegers(body, ts);
  if (cells instanceof Float64Array) encodeNumbers(body, cells, scratch);
  else encodeTexts(cells);
  const plain = body.finish();
  if (plain.length < LEAST_BYTES) return seal(FORMAT.plain, plain);
  const packed = zstdCompressSync(plain);
  return packed.length > plain.length * (1 - LEAST_SAVING)
    ? seal(FORMAT.plain, plain)
    : seal(FORMAT.zstd, packed);
};

/** More than the texts of a chunk take. */
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

const contentOf = (format: number | undefined, content: Uint8Array): Uint8Array => {
  if (format === FORMAT.plain) return content;
  if (format !== FORMAT.zstd) throw new RangeError(`A chunk has the unknown format ${format}.`);
  return zstdDecompressSync(content, { maxOutputLength: MAX_DECOMPRESSED_BYTES });
};

/** @throws RangeError where the bytes are not those of a chunk with `count` samples */
export const decodeChunk = (sealed: Uint8Array, count: number, isText: boolean): Samples => {
  const end = sealed.length - CHECKSUM_BYTES;
  const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (end < 1 || view.getUint32(end, true) !== crc32(sealed.subarray(0, end)))
    throw new RangeError('The checksum of a chunk is wrong.');
  const content = sealed.subarray(1, end);
  const bytes = new ByteReader(contentOf(sealed[0], content));
  const ts = decodeIntegers(bytes, count);
  const cells = isText ? decodeTexts(bytes, count) : decodeNumbers(bytes, count);
  if (!bytes.isAtEnd) throw new RangeError('A chunk is longer than its samples.');
  return { ts, cells };
};
