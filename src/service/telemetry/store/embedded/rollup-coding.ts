import { ByteReader, ByteWriter } from './bytes.ts';
import { CHECKSUM_BYTES, verifyChecksum, writeChecksum } from './checksum.ts';
import { decodeIntegers, encodeIntegers } from './integer-coding.ts';
import { decodeNumbers, encodeNumbers } from './number-coding.ts';

const FORMAT = 1;

/** The buckets of a rollup that have samples, by time. */
export type RollupBuckets = {
  readonly starts: Float64Array;
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;
  readonly firsts: Float64Array;
  readonly lasts: Float64Array;
};

const body = new ByteWriter();
const scratch = new ByteWriter();

/** Codes buckets for the rollup table; the table keeps their number. */
export const encodeRollup = ({
  starts,
  counts,
  sums,
  mins,
  maxs,
  firsts,
  lasts,
}: RollupBuckets): Uint8Array => {
  body.reset();
  body.byte(FORMAT);
  for (const column of [starts, counts]) encodeIntegers(body, column);
  for (const column of [sums, mins, maxs, firsts, lasts]) encodeNumbers(body, column, scratch);
  const framed = new Uint8Array(body.length + CHECKSUM_BYTES);
  body.copyTo(framed);
  return writeChecksum(framed);
};

/** @throws RangeError where the bytes are not those of a rollup with `count` buckets */
export const decodeRollup = (coded: Uint8Array, count: number): RollupBuckets => {
  const bytes = new ByteReader(verifyChecksum(coded));
  const format = bytes.byte();
  if (format !== FORMAT) throw new RangeError(`A rollup has the unknown format ${format}.`);
  const integers = () => decodeIntegers(bytes, count);
  const numbers = () => decodeNumbers(bytes, count);
  return {
    starts: integers(),
    counts: integers(),
    sums: numbers(),
    mins: numbers(),
    maxs: numbers(),
    firsts: numbers(),
    lasts: numbers(),
  };
};
