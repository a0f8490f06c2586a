import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeChunk, encodeChunk } from '#service/telemetry/store/embedded/chunk-coding.ts';
import type { Samples } from '#service/telemetry/store/embedded/samples.ts';
import { decodeJournalRow, encodeSamples } from '#service/telemetry/store/embedded/journal-coding.ts';

const CHUNK = 1_024;

const plain = ({ ts, cells }: Samples) => ({ ts: Array.from(ts), cells: Array.from<number | string>(cells) });
const isTextOf = ({ cells }: Samples): boolean => !(cells instanceof Float64Array);
const decodeWhole = (coded: Uint8Array, samples: Samples) =>
  plain(decodeChunk(coded, samples.ts.length, isTextOf(samples)));

const times = (length: number) =>
  fc
    .tuple(
      fc.constantFrom(0, 1_760_000_000_000, -8_640_000_000_000_000),
      fc.constantFrom(1, 1_000, 60_000, 3e12),
      fc.array(fc.oneof(fc.constant(0), fc.nat(900), fc.nat(2 ** 40)), {
        minLength: length,
        maxLength: length,
      }),
    )
    .map(([start, step, jitter]) => {
      let at = start;
      return Float64Array.from(jitter, (each) => (at += step + each));
    });
const decimals = fc
  .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(9))
  .map(([n, digits]) => n / 10 ** digits);
const numbers = fc.oneof(
  decimals,
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1, 21.5, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53, 0.1 + 0.2),
);
const column = (length: number) => {
  const list = <T>(each: fc.Arbitrary<T>) => fc.array(each, { minLength: length, maxLength: length });
  return fc.oneof(
    list(numbers).map((cells) => Float64Array.from(cells, (cell) => cell + 0)),
    list(decimals).map((cells) => Float64Array.from(cells, (cell) => cell + 0)),
    fc.tuple(numbers, fc.nat(length)).map(([cell, at]) => new Float64Array(length).fill(cell + 0, at)),
    list(fc.string({ unit: 'binary', maxLength: 8 })),
    list(fc.constantFrom('on', 'off', '', '\ud800')),
  );
};
const samples: fc.Arbitrary<Samples> = fc
  .integer({ min: 1, max: 130 })
  .chain((length) => fc.tuple(times(length), column(length)))
  .map(([ts, cells]) => ({ ts, cells }));

describe('a chunk', () => {
  it('is decoded to the samples that were coded, to the bit', () => {
    fc.assert(
      fc.property(samples, (given) => {
        expect(decodeWhole(encodeChunk(given), given)).toEqual(plain(given));
      }),
      { numRuns: 1_500 },
    );
  });

  it('that is damaged anywhere, or cut, is not decoded', () => {
    fc.assert(
      fc.property(samples, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, at, flip) => {
        const coded = encodeChunk(given);
        const damaged = coded.slice();
        damaged[at % coded.length]! ^= flip;
        expect(() => decodeWhole(damaged, given)).toThrow(RangeError);
        expect(() => decodeWhole(coded.subarray(0, at % coded.length), given)).toThrow(RangeError);
      }),
      { numRuns: 300 },
    );
  });

  /** A fixed sequence from 0 to 1 (a linear congruential generator). */
  const random = () => {
    let state = 12_345;
    return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  };
  const series = {
    'a walk of tenths': (next: () => number) => {
      let tenths = 200;
      return () => (tenths += Math.floor(next() * 3) - 1) / 10;
    },
    'noise of two decimals': (next: () => number) => () => Math.round((50 + 10 * next()) * 100) / 100,
    'a counter': (next: () => number) => {
      let count = 1e6;
      return () => (count += Math.floor(next() * 1_000));
    },
    'a constant': () => () => 21.5,
    'doubles without a pattern': (next: () => number) => () => next() * 100,
  };
  it.each([
    ['a walk of tenths', 0.45],
    ['noise of two decimals', 1.5],
    ['a counter', 1.5],
    ['a constant', 0.05],
    ['doubles without a pattern', 8.1],
  ] as const)('takes few bytes for %s: at most %d a sample', (name, most) => {
    const value = series[name](random());
    const given = {
      ts: Float64Array.from({ length: CHUNK }, (_, i) => 1_760_000_000_000 + i * 60_000),
      cells: Float64Array.from({ length: CHUNK }, value),
    };
    expect(encodeChunk(given).length / CHUNK).toBeLessThan(most);
  });
});

describe('a row of the journal', () => {
  it('that is damaged anywhere is not decoded', () => {
    const coded = encodeSamples({
      series: Uint32Array.of(1, 2),
      ts: Float64Array.of(1, 2),
      cells: Float64Array.of(20.5, 0),
      texts: ['\ud800'],
    });
    expect(decodeJournalRow(coded)).toMatchObject({ samples: { texts: ['\ud800'] } });
    for (let at = 0; at < coded.length; at += 1) {
      const damaged = coded.slice();
      damaged[at]! ^= 1;
      expect(() => decodeJournalRow(damaged)).toThrow(RangeError);
    }
  });
});
