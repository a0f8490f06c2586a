import type { MetricKind } from '#contract/telemetry.ts';
import type { Samples } from './chunk-coding.ts';
import type { Chunk, ChunkTable, Figures } from './chunk-table.ts';
import { countBefore, joinSamples, type Cell } from './head.ts';
import { mergeSamples } from './merge-samples.ts';
import type { RecentSamples } from './recent-samples.ts';

/** Samples of a series that follow each other. */
export type Stretch = {
  /** At most this many samples. */
  readonly count: number;
  /** Of a chunk that counts as it is: what a bucket that covers it needs, without decoding it. */
  readonly figures: (Figures & { readonly firstTs: number; readonly lastTs: number }) | undefined;
  load(): Samples;
};

const stretchOf = (samples: Samples): Stretch => ({
  count: samples.ts.length,
  figures: undefined,
  load: () => samples,
});

const clip = (samples: Samples, fromMs: number, toMs: number): Samples => {
  const [start, end] = [countBefore(samples.ts, fromMs), countBefore(samples.ts, toMs)];
  return start === 0 && end === samples.ts.length
    ? samples
    : { ts: samples.ts.subarray(start, end), cells: samples.cells.slice(start, end) };
};

type Named = { readonly id: number; readonly kind: MetricKind };

/** The one way to read samples: chunks, and over them what the journal holds. */
export class SeriesSamples {
  readonly #chunks: ChunkTable;
  readonly #recent: RecentSamples;

  constructor(chunks: ChunkTable, recent: RecentSamples) {
    this.#chunks = chunks;
    this.#recent = recent;
  }

  /** The samples with `fromMs` ≤ ts < `toMs`, by time. */
  stretches({ id, kind }: Named, fromMs: number, toMs: number): Stretch[] {
    const isText = kind === 'string';
    const recent = this.recentSamples(id, isText, fromMs, toMs);
    const found: Stretch[] = [];
    let place = 0;
    const addRecent = (end: number): void => {
      if (end > place)
        found.push(stretchOf({ ts: recent.ts.subarray(place, end), cells: recent.cells.slice(place, end) }));
      place = end;
    };
    for (const chunk of this.#chunks.range(id, fromMs, toMs)) {
      addRecent(countBefore(recent.ts, chunk.firstTs));
      const end = countBefore(recent.ts, chunk.lastTs + 1);
      const newer = { ts: recent.ts.subarray(place, end), cells: recent.cells.slice(place, end) };
      place = end;
      found.push(this.#stretchOfChunk(chunk, newer, isText, fromMs, toMs));
    }
    addRecent(recent.ts.length);
    return found;
  }

  /** The first time of a series; NaN where it has no sample. */
  firstTs({ id }: Named): number {
    const recent = this.#recent.find(id);
    const first = Math.min(
      this.#chunks.first(id)?.firstTs ?? Infinity,
      recent?.head.firstTs ?? Infinity,
      recent?.sealing?.firstTs ?? Infinity,
    );
    return first === Infinity ? Number.NaN : first;
  }

  /** The sample with the greatest time up to `untilMs`. */
  last({ id, kind }: Named, untilMs: number): { readonly ts: number; readonly cell: Cell } | undefined {
    const recent = this.#recent.find(id);
    const [newest, sealing] = [recent?.head.last(untilMs), recent?.sealing?.last(untilMs)];
    const chunk = untilMs === Infinity ? this.#chunks.last(id) : this.#chunks.at(id, untilMs);
    let best = newest;
    if (sealing !== undefined && (best === undefined || sealing.ts > best.ts)) best = sealing;
    if (chunk === undefined || (best !== undefined && best.ts >= Math.min(chunk.lastTs, untilMs)))
      return best;
    if (kind !== 'string' && chunk.lastTs <= untilMs) return { ts: chunk.lastTs, cell: chunk.last };
    const { ts, cells } = this.#chunks.load(chunk, kind === 'string');
    const place = countBefore(ts, untilMs + 1) - 1;
    if (best !== undefined && best.ts >= ts[place]!) return best;
    return { ts: ts[place]!, cell: cells[place]! };
  }

  isEmpty(id: number): boolean {
    const recent = this.#recent.find(id);
    if (recent !== undefined && (recent.head.length > 0 || (recent.sealing?.length ?? 0) > 0)) return false;
    return this.#chunks.first(id) === undefined;
  }

  /** Samples that are in the journal and not, or not only, in chunks. */
  recentSamples(id: number, isText: boolean, fromMs: number, toMs: number): Samples {
    const recent = this.#recent.find(id);
    if (recent === undefined) return joinSamples([], isText);
    const newest = recent.head.samples(fromMs, toMs);
    return recent.sealing === undefined
      ? newest
      : mergeSamples(recent.sealing.samples(fromMs, toMs), newest, isText);
  }

  #stretchOfChunk(chunk: Chunk, newer: Samples, isText: boolean, fromMs: number, toMs: number): Stretch {
    const isWhole = chunk.firstTs >= fromMs && chunk.lastTs < toMs && newer.ts.length === 0;
    return {
      count: chunk.count + newer.ts.length,
      figures: isWhole ? chunk : undefined,
      load: () => mergeSamples(clip(this.#chunks.load(chunk, isText), fromMs, toMs), newer, isText),
    };
  }
}
