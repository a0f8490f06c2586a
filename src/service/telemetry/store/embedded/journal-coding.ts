import { ByteReader, ByteWriter } from './bytes.ts';
import { CHECKSUM_BYTES, verifyChecksum, writeChecksum } from './checksum.ts';

/** The first byte of a journal row. */
const ROW_TYPE = { samples: 1, removal: 2 } as const;

/** The samples of one transaction, as columns; a text is its position in `texts`. */
export type JournalSamples = {
  readonly series: Uint32Array;
  readonly ts: Float64Array;
  readonly cells: Float64Array;
  readonly texts: readonly string[];
};
/** Samples with `fromMs` ≤ ts < `toMs` were deleted from these series. */
export type JournalRemoval = {
  readonly series: readonly number[];
  readonly fromMs: number;
  readonly toMs: number;
};
export type JournalRow = { readonly samples: JournalSamples } | { readonly removal: JournalRemoval };

let out = new ByteWriter();
/** After a larger row the writer is replaced, to free its memory. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

const finishRow = (): Uint8Array => {
  const bytes = new Uint8Array(out.length + CHECKSUM_BYTES);
  out.copyTo(bytes);
  if (out.length > MAX_KEPT_BYTES) out = new ByteWriter();
  return writeChecksum(bytes);
};

export const encodeSamples = ({ series, ts, cells, texts }: JournalSamples): Uint8Array => {
  out.reset().byte(ROW_TYPE.samples);
  out.varint(series.length);
  out.append(series);
  out.append(ts);
  out.append(cells);
  out.text(texts.length === 0 ? '' : JSON.stringify(texts));
  return finishRow();
};

export const encodeRemoval = ({ series, fromMs, toMs }: JournalRemoval): Uint8Array => {
  out.reset().byte(ROW_TYPE.removal);
  out.double(fromMs);
  out.double(toMs);
  out.varint(series.length);
  for (const id of series) out.varint(id);
  return finishRow();
};

const readSamples = (bytes: ByteReader): JournalSamples => {
  const count = bytes.varint();
  const series = new Uint32Array(bytes.take(count * Uint32Array.BYTES_PER_ELEMENT));
  const ts = new Float64Array(bytes.take(count * Float64Array.BYTES_PER_ELEMENT));
  const cells = new Float64Array(bytes.take(count * Float64Array.BYTES_PER_ELEMENT));
  const text = bytes.text();
  const texts: unknown = text === '' ? [] : JSON.parse(text);
  if (!Array.isArray(texts)) throw new RangeError('A journal row has no list of texts.');
  return { series, ts, cells, texts: texts.map(String) };
};

/** @throws RangeError where the bytes are not those of a journal row */
export const decodeJournalRow = (coded: Uint8Array): JournalRow => {
  const bytes = new ByteReader(verifyChecksum(coded));
  const type = bytes.byte();
  if (type === ROW_TYPE.samples) return { samples: readSamples(bytes) };
  if (type !== ROW_TYPE.removal) throw new RangeError(`A journal row has the unknown type ${type}.`);
  const [fromMs, toMs] = [bytes.double(), bytes.double()];
  const series = Array.from({ length: bytes.varint() }, () => bytes.varint());
  return { removal: { series, fromMs, toMs } };
};
