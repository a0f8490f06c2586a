import { addPackedBits, packBits } from './bit-packing.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/**
 * Columns of integers: frame of reference or deltas, bit-packed, with exceptions.
 * Sources: Lemire & Boytsov, "Decoding billions of integers per second through vectorization" (2015), for patched
 * frame of reference; Afroozeh, Kuffó & Boncz, "ALP" (SIGMOD 2024), for its use on decimals.
 */
const MODE = { frame: 0, delta: 1, raw: 2 } as const;

/** Differences of integers within this range, and those less a base, are exact. */
const MAX_RANGE = 2 ** 51;
/** What an exception costs, in bytes: its position and its value, both varints. */
const EXCEPTION_BYTES = 6;

type Frame = { readonly base: number; readonly width: number; readonly bytes: number };

const bitsOf = (value: number): number => (value < 1 ? 0 : Math.floor(Math.log2(value)) + 1);

const isConstant = (values: Float64Array): boolean => {
  for (let i = 1; i < values.length; i += 1) if (values[i] !== values[0]) return false;
  return true;
};

/**
 * The base and width that take the fewest bytes: all values in `base` to `base + 2^width − 1` are packed, the others are
 * exceptions.
 */
const chooseFrame = (values: Float64Array): Frame => {
  if (isConstant(values)) return { base: values[0] ?? 0, width: 0, bytes: 0 };
  const sorted = values.toSorted();
  const { length } = sorted;
  const smallest = sorted[0]!;
  const full = bitsOf(sorted[length - 1]! - smallest);
  let best: Frame = { base: smallest, width: full, bytes: (length * full) / 8 };
  for (let width = full - 1; width >= 0; width -= 1) {
    const span = 2 ** width;
    let [base, most] = [smallest, 0];
    for (let low = 0, high = 0; high < length && length - low > most; low += 1) {
      while (high < length && sorted[high]! - sorted[low]! < span) high += 1;
      if (high - low > most) [base, most] = [sorted[low]!, high - low];
    }
    const bytes = (length * width) / 8 + (length - most) * EXCEPTION_BYTES;
    // Fewer bits only add exceptions from here on.
    if (bytes > best.bytes * 2) break;
    if (bytes < best.bytes) best = { base, width, bytes };
  }
  return best;
};

const writeFrame = (out: ByteWriter, values: Float64Array, { base, width }: Frame): void => {
  const span = 2 ** width;
  const offsets = new Float64Array(values.length);
  const exceptions: number[] = [];
  for (let i = 0; i < values.length; i += 1) {
    const offset = values[i]! - base;
    if (offset >= 0 && offset < span) offsets[i] = offset;
    else exceptions.push(i);
  }
  out.byte(width);
  out.signedVarint(base);
  out.varint(exceptions.length);
  let previous = 0;
  for (const position of exceptions) {
    out.varint(position - previous);
    out.signedVarint(values[position]! - base);
    previous = position;
  }
  packBits(out, offsets, width);
};

const readFrame = (bytes: ByteReader, count: number): Float64Array => {
  const width = bytes.byte();
  const values = new Float64Array(count).fill(bytes.signedVarint());
  const exceptions = bytes.varint();
  for (let i = 0, position = 0; i < exceptions; i += 1) {
    position += bytes.varint();
    // Packed as 0, so that adding the packed bits leaves the value.
    values[position]! += bytes.signedVarint();
  }
  addPackedBits(bytes, values, width);
  return values;
};

/** Writes a column of safe integers; `count` is not written. */
export const encodeIntegers = (out: ByteWriter, values: Float64Array): void => {
  let [min, max] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (max - min > MAX_RANGE || min < -MAX_RANGE || max > MAX_RANGE) {
    out.byte(MODE.raw);
    out.append(values);
    return;
  }
  const deltas = new Float64Array(Math.max(0, values.length - 1));
  for (let i = 0; i < deltas.length; i += 1) deltas[i] = values[i + 1]! - values[i]!;
  const deltaFrame = chooseFrame(deltas);
  // Regular timestamps, the usual case: the deltas take 0 bytes, so no frame of the values is shorter.
  const frame = min < max && deltaFrame.bytes === 0 ? undefined : chooseFrame(values);
  if (frame === undefined || deltaFrame.bytes < frame.bytes) {
    out.byte(MODE.delta);
    out.signedVarint(values[0]!);
    writeFrame(out, deltas, deltaFrame);
  } else {
    out.byte(MODE.frame);
    writeFrame(out, values, frame);
  }
};

/** Reads the `count` integers that encodeIntegers wrote. */
export const decodeIntegers = (bytes: ByteReader, count: number): Float64Array => {
  switch (bytes.byte()) {
    case MODE.raw:
      return new Float64Array(bytes.take(count * 8));
    case MODE.frame:
      return readFrame(bytes, count);
    case MODE.delta: {
      const values = new Float64Array(count);
      values[0] = bytes.signedVarint();
      const deltas = readFrame(bytes, count - 1);
      for (let i = 1; i < count; i += 1) values[i] = values[i - 1]! + deltas[i - 1]!;
      return values;
    }
    default:
      throw new RangeError('A column of integers has an unknown mode.');
  }
};
