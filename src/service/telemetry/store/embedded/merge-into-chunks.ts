import type { Chunk, ChunkTable } from './chunk-table.ts';
import { countBefore, joinSamples, mergeSamples, sliceSamples, type Samples } from './samples.ts';

/** `chunksEnd`: no chunk of the series ends later; −Infinity where it has none. */
type SeriesOfChunks = { readonly id: number; readonly isText: boolean; readonly chunksEnd: number };

/**
 * Adds samples to the chunks of a series, replacing values at the same time. Call it in a transaction.
 *
 * Samples within the time of a chunk are merged into it. Later samples become a chunk of their own, joined with the
 * undamaged chunks before them that are at most twice as large (as in a log-structured merge tree). Returns whether a
 * chunk now holds more than half of `maxSamples`.
 */
export const mergeIntoChunks = (
  chunks: ChunkTable,
  { id, isText, chunksEnd }: SeriesOfChunks,
  samples: Samples,
): boolean => {
  let isLarge = false;
  const { length } = samples.ts;
  const chunkBefore = (ts: number): Chunk | undefined =>
    chunksEnd === -Infinity ? undefined : chunks.at(id, ts);
  for (let start = 0; start < length;) {
    const firstTs = samples.ts[start]!;
    const next = firstTs > chunksEnd ? undefined : chunks.after(id, firstTs);
    const end = next === undefined ? length : countBefore(samples.ts, next.firstTs);
    let part = sliceSamples(samples, start, end);
    start = end;
    for (let chunk = chunkBefore(firstTs); chunk !== undefined; chunk = chunkBefore(firstTs)) {
      const isLater = firstTs > chunk.lastTs;
      const total = chunk.count + part.ts.length;
      if (isLater && (chunk.count > 2 * part.ts.length || total > chunks.maxSamples)) break;
      // Later samples need not join a damaged chunk.
      const older = isLater ? chunks.decodeUndamaged(chunk, isText) : chunks.decode(chunk, isText);
      if (older === undefined) break;
      chunks.delete(chunk);
      part = isLater ? joinSamples([older, part], isText) : mergeSamples(older, part, isText);
      if (!isLater) break;
    }
    chunks.insert(id, part);
    isLarge ||= part.ts.length > chunks.maxSamples / 2;
  }
  return isLarge;
};
