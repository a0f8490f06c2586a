import type { Cells } from '../sample-columns.ts';

/** Samples of one series, by ascending time, no two at the same one. */
export type Samples = { readonly ts: Float64Array; readonly cells: Cells };

/** How many of the first `length` times, ascending, are before `ts`. */
export const countBefore = (times: Float64Array, ts: number, length = times.length): number => {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < ts) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The samples at positions from `start` to before `end`. Numbers share their memory. */
export const sliceSamples = ({ ts, cells }: Samples, start: number, end = ts.length): Samples => ({
  ts: ts.subarray(start, end),
  cells: cells instanceof Float64Array ? cells.subarray(start, end) : cells.slice(start, end),
});

/** The samples with `fromMs` ≤ ts < `toMs`. */
export const clipSamples = (samples: Samples, fromMs: number, toMs: number): Samples => {
  const [start, end] = [countBefore(samples.ts, fromMs), countBefore(samples.ts, toMs)];
  return start === 0 && end === samples.ts.length ? samples : sliceSamples(samples, start, end);
};

/** Concatenates parts of a series that are in order of time. */
export const joinSamples = (parts: readonly Samples[], isText: boolean): Samples => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const length = parts.reduce((sum, { ts }) => sum + ts.length, 0);
  const ts = new Float64Array(length);
  const numbers = isText ? undefined : new Float64Array(length);
  let end = 0;
  for (const part of parts) {
    ts.set(part.ts, end);
    if (part.cells instanceof Float64Array) numbers?.set(part.cells, end);
    end += part.ts.length;
  }
  const cells: Cells =
    numbers ?? parts.flatMap((part) => Array.from<string | number, string>(part.cells, String));
  return { ts, cells };
};

/** Merges two lists of samples of a series. At equal times, the sample of `newer` replaces that of `older`. */
export const mergeSamples = (older: Samples, newer: Samples, isText: boolean): Samples => {
  const [olderCount, newerCount] = [older.ts.length, newer.ts.length];
  if (newerCount === 0) return older;
  if (olderCount === 0) return newer;
  if (older.ts[olderCount - 1]! < newer.ts[0]!) return joinSamples([older, newer], isText);
  if (newer.ts[newerCount - 1]! < older.ts[0]!) return joinSamples([newer, older], isText);
  const ts = new Float64Array(olderCount + newerCount);
  const numbers = new Float64Array(isText ? 0 : olderCount + newerCount);
  const texts: string[] = [];
  let [i, j, n] = [0, 0, 0];
  while (i < olderCount || j < newerCount) {
    const [before, after] = [older.ts[i] ?? Infinity, newer.ts[j] ?? Infinity];
    const isNewer = after <= before;
    const cell = isNewer ? newer.cells[j]! : older.cells[i]!;
    ts[n] = isNewer ? after : before;
    if (typeof cell === 'string') texts.push(cell);
    else numbers[n] = cell;
    n += 1;
    if (before <= after) i += 1;
    if (isNewer) j += 1;
  }
  return { ts: ts.subarray(0, n), cells: isText ? texts : numbers.subarray(0, n) };
};
