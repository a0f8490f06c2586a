import type { Samples } from './chunk-coding.ts';
import { MAX_CHUNK_SAMPLES, type Chunk, type ChunkTable } from './chunk-table.ts';
import { countBefore, joinSamples } from './head.ts';
import { mergeSamples } from './merge-samples.ts';

/** Undefined where the chunk is damaged: later samples need not join it. */
const decodeUndamaged = (chunks: ChunkTable, chunk: Chunk, isText: boolean): Samples | undefined => {
  try {
    return chunks.decode(chunk, isText);
  } catch {
    return undefined;
  }
};

/**
 * Moves samples into the chunks of a series, replacing values at the same time. To be called in a transaction.
 *
 * Samples within a chunk's time are merged into it. Samples after it become a chunk of their own, together with the
 * chunks before that are no more than twice as large and not damaged: so a slow series, which adds a few samples at a time, ends up in
 * large chunks, and each sample is coded anew only a few times (as in a log-structured merge tree).
 */
export const sealSamples = (chunks: ChunkTable, series: number, samples: Samples, isText: boolean): void => {
  const { length } = samples.ts;
  for (let start = 0; start < length;) {
    const firstTs = samples.ts[start]!;
    const next = chunks.after(series, firstTs);
    const end = next === undefined ? length : countBefore(samples.ts, next.firstTs);
    let part: Samples = {
      ts: samples.ts.subarray(start, end),
      cells: samples.cells.slice(start, end),
    };
    start = end;
    for (let chunk = chunks.at(series, firstTs); chunk !== undefined; chunk = chunks.at(series, firstTs)) {
      const isLater = firstTs > chunk.lastTs;
      const total = chunk.count + part.ts.length;
      if (isLater && (chunk.count > 2 * part.ts.length || total > MAX_CHUNK_SAMPLES)) break;
      const older = isLater ? decodeUndamaged(chunks, chunk, isText) : chunks.decode(chunk, isText);
      if (older === undefined) break;
      chunks.delete(chunk);
      part = isLater ? joinSamples([older, part], isText) : mergeSamples(older, part, isText);
      if (!isLater) break;
    }
    chunks.insert(series, part);
  }
};
