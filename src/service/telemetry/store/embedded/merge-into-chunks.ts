import type { Chunk, ChunkTable } from './chunk-table.ts';
import { countBefore, joinSamples, mergeSamples, sliceSamples, type Samples } from './samples.ts';

/** Undefined where the chunk is damaged: later samples need not join it. */
const decodeUndamaged = (chunks: ChunkTable, chunk: Chunk, isText: boolean): Samples | undefined => {
  try {
    return chunks.decode(chunk, isText);
  } catch {
    return undefined;
  }
};

/**
 * Adds samples to the chunks of a series, replacing values at the same time. Call it in a transaction.
 *
 * Samples within a chunk's time are merged into it. Later samples become a chunk of their own, joined with the
 * undamaged chunks before them that are at most twice as large (as in a log-structured merge tree). Returns whether a chunk
 * became large.
 */
export const mergeIntoChunks = (
  chunks: ChunkTable,
  series: number,
  samples: Samples,
  isText: boolean,
): boolean => {
  let isLarge = false;
  const { length } = samples.ts;
  for (let start = 0; start < length;) {
    const firstTs = samples.ts[start]!;
    const next = chunks.after(series, firstTs);
    const end = next === undefined ? length : countBefore(samples.ts, next.firstTs);
    let part = sliceSamples(samples, start, end);
    start = end;
    for (let chunk = chunks.at(series, firstTs); chunk !== undefined; chunk = chunks.at(series, firstTs)) {
      const isLater = firstTs > chunk.lastTs;
      const total = chunk.count + part.ts.length;
      if (isLater && (chunk.count > 2 * part.ts.length || total > chunks.maxSamples)) break;
      const older = isLater ? decodeUndamaged(chunks, chunk, isText) : chunks.decode(chunk, isText);
      if (older === undefined) break;
      chunks.delete(chunk);
      part = isLater ? joinSamples([older, part], isText) : mergeSamples(older, part, isText);
      if (!isLater) break;
    }
    chunks.insert(series, part);
    isLarge ||= part.ts.length > chunks.maxSamples / 2;
  }
  return isLarge;
};
