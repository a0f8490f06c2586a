import type { Cells } from '../sample-columns.ts';

/** What a bucket needs of its samples. For text all but `count` are NaN. */
export type ChunkStatistics = {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly first: number;
  readonly last: number;
};

/** The statistics of the values at positions from `start` to before `end`. */
export const statisticsOf = (cells: Cells, start = 0, end = cells.length): ChunkStatistics => {
  const count = end - start;
  if (!(cells instanceof Float64Array))
    return { count, sum: Number.NaN, min: Number.NaN, max: Number.NaN, first: Number.NaN, last: Number.NaN };
  let [sum, min, max] = [0, Infinity, -Infinity];
  for (let i = start; i < end; i += 1) {
    const cell = cells[i]!;
    sum += cell;
    if (cell < min) min = cell;
    if (cell > max) max = cell;
  }
  return { count, sum, min, max, first: cells[start]!, last: cells[end - 1]! };
};
