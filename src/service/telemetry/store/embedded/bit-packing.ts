import type { ByteReader, ByteWriter } from './bytes.ts';

const WORD_BITS = 32;
const WORD = 2 ** WORD_BITS;

const wordsFor = (count: number, width: number): number => Math.ceil((count * width) / WORD_BITS);

/** Packs `width` bits of each value, at most 32. */
const packNarrow = (values: Uint32Array, width: number): Uint32Array => {
  const words = new Uint32Array(wordsFor(values.length, width));
  let [word, shift] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    words[word]! |= value << shift;
    shift += width;
    if (shift < WORD_BITS) continue;
    word += 1;
    shift -= WORD_BITS;
    if (shift > 0) words[word] = value >>> (width - shift);
  }
  return words;
};

const unpackNarrow = (words: Uint32Array, count: number, width: number): Uint32Array => {
  const values = new Uint32Array(count);
  const mask = width === WORD_BITS ? 0xffffffff : (1 << width) - 1;
  let [word, shift] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    let value = words[word]! >>> shift;
    shift += width;
    if (shift >= WORD_BITS) {
      word += 1;
      shift -= WORD_BITS;
      if (shift > 0) value |= words[word]! << (width - shift);
    }
    values[i] = value & mask;
  }
  return values;
};

/**
 * Writes integers from 0 to 2^width − 1 with `width` bits each (at most 53), least significant bit first, in words of 32
 * bits. Above 32 bits the low 32 bits of all values come first, then their high bits.
 */
export const packBits = (out: ByteWriter, values: Float64Array, width: number): void => {
  if (width === 0) return;
  // The conversion to 32 bits is modulo 2^32.
  const low = new Uint32Array(values);
  out.append(packNarrow(low, Math.min(width, WORD_BITS)));
  if (width <= WORD_BITS) return;
  const high = Uint32Array.from(values, (value) => Math.floor(value / WORD));
  out.append(packNarrow(high, width - WORD_BITS));
};

/** Adds the integers that packBits wrote to the numbers in `into`. */
export const addPackedBits = (bytes: ByteReader, into: Float64Array, width: number): void => {
  if (width === 0) return;
  const count = into.length;
  const take = (bits: number): Uint32Array =>
    unpackNarrow(new Uint32Array(bytes.take(wordsFor(count, bits) * 4)), count, bits);
  const low = take(Math.min(width, WORD_BITS));
  for (let i = 0; i < count; i += 1) into[i]! += low[i]!;
  if (width <= WORD_BITS) return;
  const high = take(width - WORD_BITS);
  for (let i = 0; i < count; i += 1) into[i]! += high[i]! * WORD;
};
