import type { ByteReader, ByteWriter } from './bytes.ts';
import { decodeIntegers, encodeIntegers } from './integer-coding.ts';

/**
 * Columns of numbers: a decimal becomes an integer times a power of ten (21.5 is 215 / 10), and integers pack well.
 * A quotient of two exact doubles is rounded correctly, so 215 / 10 is the very double that 21.5 was.
 * Source: Afroozeh, Kuffó & Boncz, "ALP: Adaptive Lossless floating-Point Compression", SIGMOD 2024.
 */
const MODE = { decimal: 0, single: 1, double: 2 } as const;

/** Powers of ten that a double holds exactly; more digits than these are not decimals that a sensor wrote. */
const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
/** Integers whose differences are exact. */
const MAX_INTEGER = 2 ** 50;
const NO_EXPONENT = POWERS.length;

const isExact = (value: number, power: number): boolean => {
  const integer = Math.round(value * power);
  return Math.abs(integer) <= MAX_INTEGER && integer / power === value;
};

/** The number of decimals of a value; NO_EXPONENT if it is not a decimal. */
const countDecimals = (value: number): number => {
  for (let exponent = 0; exponent < POWERS.length; exponent += 1)
    if (isExact(value, POWERS[exponent]!)) return exponent;
  return NO_EXPONENT;
};

/** How many values have each number of decimals. */
const countByDecimals = (values: Float64Array): Uint32Array => {
  const counts = new Uint32Array(NO_EXPONENT + 1);
  let guess = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    // Neighbours have as many decimals, mostly: the guess holds where one decimal fewer does not.
    const isGuessed =
      guess < NO_EXPONENT &&
      isExact(value, POWERS[guess]!) &&
      (guess === 0 || !isExact(value, POWERS[guess - 1]!));
    if (!isGuessed) guess = countDecimals(value);
    counts[guess]! += 1;
  }
  return counts;
};

/** The exponent that all decimals fit, and the one that fits all but a twentieth: the others are exceptions there. */
const chooseExponents = (counts: Uint32Array, total: number): number[] => {
  const decimals = total - counts[NO_EXPONENT]!;
  if (decimals < total / 2) return [];
  const reaching = (share: number): number => {
    let seen = 0;
    for (let exponent = 0; exponent < NO_EXPONENT; exponent += 1) {
      seen += counts[exponent]!;
      if (seen >= decimals * share) return exponent;
    }
    return NO_EXPONENT - 1;
  };
  return [...new Set([reaching(0.95), reaching(1)])];
};

const writeDecimals = (out: ByteWriter, values: Float64Array, exponent: number): void => {
  const power = POWERS[exponent]!;
  const integers = new Float64Array(values.length);
  const exceptions: number[] = [];
  let previous = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    if (isExact(value, power)) previous = Math.round(value * power);
    else exceptions.push(i);
    // An exception repeats its neighbour, which costs no bits.
    integers[i] = previous;
  }
  out.byte(MODE.decimal);
  out.byte(exponent);
  out.varint(exceptions.length);
  let last = 0;
  for (const position of exceptions) {
    out.varint(position - last);
    out.double(values[position]!);
    last = position;
  }
  encodeIntegers(out, integers);
};

const readDecimals = (bytes: ByteReader, count: number): Float64Array => {
  const power = POWERS[bytes.byte()] ?? Number.NaN;
  const exceptions = Array.from({ length: bytes.varint() }, () => [bytes.varint(), bytes.double()] as const);
  const values = decodeIntegers(bytes, count);
  if (power !== 1) for (let i = 0; i < count; i += 1) values[i]! /= power;
  let position = 0;
  for (const [step, value] of exceptions) {
    position += step;
    values[position] = value;
  }
  return values;
};

/** Devices that compute with 32 bits send numbers that a float holds exactly. */
const writePlain = (out: ByteWriter, values: Float64Array): void => {
  const singles = Float32Array.from(values);
  const isSingle = values.every((value, i) => value === singles[i]);
  out.byte(isSingle ? MODE.single : MODE.double);
  out.append(isSingle ? singles : values);
};

/** Writes a column of finite numbers (no −0) in the shortest of its codings; `scratch` is for trying. */
export const encodeNumbers = (out: ByteWriter, values: Float64Array, scratch: ByteWriter): void => {
  const exponents = chooseExponents(countByDecimals(values), values.length);
  let best: Uint8Array | undefined;
  const keepShorter = (write: () => void): void => {
    scratch.reset();
    write();
    if (best === undefined || scratch.length < best.length) best = scratch.finish();
  };
  for (const exponent of exponents) keepShorter(() => writeDecimals(scratch, values, exponent));
  if (best === undefined || best.length > values.length * Float32Array.BYTES_PER_ELEMENT)
    keepShorter(() => writePlain(scratch, values));
  if (best !== undefined) out.append(best);
};

/** Reads the `count` numbers that encodeNumbers wrote. */
export const decodeNumbers = (bytes: ByteReader, count: number): Float64Array => {
  switch (bytes.byte()) {
    case MODE.decimal:
      return readDecimals(bytes, count);
    case MODE.single:
      return Float64Array.from(new Float32Array(bytes.take(count * Float32Array.BYTES_PER_ELEMENT)));
    case MODE.double:
      return new Float64Array(bytes.take(count * Float64Array.BYTES_PER_ELEMENT));
    default:
      throw new RangeError('A column of numbers has an unknown mode.');
  }
};
