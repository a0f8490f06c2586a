import type { Samples } from './chunk-coding.ts';
import { joinSamples } from './head.ts';

/** Two runs of samples of a series as one; at equal times `newer` counts. */
export const mergeSamples = (older: Samples, newer: Samples, isText: boolean): Samples => {
  const [ours, theirs] = [older.ts.length, newer.ts.length];
  if (theirs === 0) return older;
  if (ours === 0) return newer;
  if (older.ts[ours - 1]! < newer.ts[0]!) return joinSamples([older, newer], isText);
  if (newer.ts[theirs - 1]! < older.ts[0]!) return joinSamples([newer, older], isText);
  const ts = new Float64Array(ours + theirs);
  const numbers = new Float64Array(isText ? 0 : ours + theirs);
  const texts: string[] = [];
  let [i, j, n] = [0, 0, 0];
  while (i < ours || j < theirs) {
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
