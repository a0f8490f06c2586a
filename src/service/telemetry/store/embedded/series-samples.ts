import type { Chunk, ChunkTable } from './chunk-table.ts';
import type { BucketGrid } from './bucket-grid.ts';
import type { RecentSamples } from './recent-samples.ts';
import type { RollupBuckets } from './rollup-coding.ts';
import type { RollupTable } from './rollup-table.ts';
import type { Cell } from '../sample-columns.ts';
import {
  clipSamples,
  countBefore,
  joinSamples,
  mergeSamples,
  sliceSamples,
  type Samples,
} from './samples.ts';
import type { SeriesRow } from './series-table.ts';

/** Samples of a series that follow each other. */
export type Segment = {
  /** The chunk that holds exactly these samples, so that its statistics apply; undefined where none does. */
  readonly whole: Chunk | undefined;
  load(): Samples;
};

type StoredAt = { readonly ts: number; readonly cell: Cell };
type Series = Pick<SeriesRow, 'id' | 'kind'>;

/** Reads samples: those in chunks, and those in the journal, which replace them. */
export class SeriesSamples {
  readonly #chunks: ChunkTable;
  readonly #recent: RecentSamples;
  readonly #rollups: RollupTable;

  constructor(chunks: ChunkTable, recent: RecentSamples, rollups: RollupTable) {
    this.#chunks = chunks;
    this.#recent = recent;
    this.#rollups = rollups;
  }

  /** The samples with `fromMs` ≤ ts < `toMs`, by time. Chunks are looked up lazily. */
  *segments({ id, kind }: Series, fromMs: number, toMs: number): Generator<Segment> {
    const isText = kind === 'string';
    const recent = this.recentSamples(id, isText, fromMs, toMs);
    let position = 0;
    /** The recent samples before `end` that no segment has yet. */
    const takeRecent = (end: number): Samples => {
      const part = sliceSamples(recent, position, end);
      position = end;
      return part;
    };
    for (const chunk of this.#chunks.range(id, fromMs, toMs)) {
      const before = takeRecent(countBefore(recent.ts, chunk.firstTs));
      if (before.ts.length > 0) yield { whole: undefined, load: () => before };
      const newer = takeRecent(countBefore(recent.ts, chunk.lastTs + 1));
      const isWhole = chunk.firstTs >= fromMs && chunk.lastTs < toMs && newer.ts.length === 0;
      yield {
        whole: isWhole ? chunk : undefined,
        load: () => mergeSamples(clipSamples(this.#chunks.load(chunk, isText), fromMs, toMs), newer, isText),
      };
    }
    const after = takeRecent(recent.ts.length);
    if (after.ts.length > 0) yield { whole: undefined, load: () => after };
  }

  /** As `segments`, with rollups where the buckets of the grid consist of theirs. */
  *segmentsFor(
    grid: BucketGrid,
    series: Series,
    fromMs: number,
    toMs: number,
  ): Generator<Segment | RollupBuckets> {
    const { id, kind } = series;
    let position = fromMs;
    const rollups = kind === 'string' ? [] : this.#rollups.within(id, fromMs, toMs);
    for (const rollup of rollups) {
      if (!grid.isAlignedTo(rollup.widthMs)) continue;
      if (this.recentSamples(id, false, rollup.fromTs, rollup.toTs).ts.length > 0) continue;
      const buckets = this.#rollups.load(rollup);
      if (buckets === undefined) continue;
      if (position < rollup.fromTs) yield* this.segments(series, position, rollup.fromTs);
      yield buckets;
      position = rollup.toTs;
    }
    yield* this.segments(series, position, toMs);
  }

  /** The first time of a series; undefined where it has no sample. */
  firstTs({ id }: Series): number | undefined {
    const recent = this.#recent.find(id);
    const first = Math.min(
      this.#chunks.first(id)?.firstTs ?? Infinity,
      recent?.head.firstTs ?? Infinity,
      recent?.compacting?.firstTs ?? Infinity,
    );
    return first === Infinity ? undefined : first;
  }

  /** The sample with the greatest time up to `untilMs`. */
  last({ id, kind }: Series, untilMs: number): StoredAt | undefined {
    const recent = this.#recent.find(id);
    const [newest, compacting] = [recent?.head.last(untilMs), recent?.compacting?.last(untilMs)];
    const chunk = untilMs === Infinity ? this.#chunks.last(id) : this.#chunks.at(id, untilMs);
    let best = newest;
    if (compacting !== undefined && (best === undefined || compacting.ts > best.ts)) best = compacting;
    if (chunk === undefined || (best !== undefined && best.ts >= Math.min(chunk.lastTs, untilMs)))
      return best;
    if (kind !== 'string' && chunk.lastTs <= untilMs) return { ts: chunk.lastTs, cell: chunk.last };
    const { ts, cells } = this.#chunks.load(chunk, kind === 'string');
    const position = countBefore(ts, untilMs + 1) - 1;
    if (best !== undefined && best.ts >= ts[position]!) return best;
    return { ts: ts[position]!, cell: cells[position]! };
  }

  isEmpty(id: number): boolean {
    const recent = this.#recent.find(id);
    if (recent !== undefined && (recent.head.length > 0 || (recent.compacting?.length ?? 0) > 0))
      return false;
    return this.#chunks.first(id) === undefined;
  }

  /** Samples that are in the journal and not, or not only, in chunks; valid until the next change. */
  recentSamples(id: number, isText: boolean, fromMs: number, toMs: number): Samples {
    const recent = this.#recent.find(id);
    if (recent === undefined) return joinSamples([], isText);
    const newest = recent.head.samples(fromMs, toMs);
    return recent.compacting === undefined
      ? newest
      : mergeSamples(recent.compacting.samples(fromMs, toMs), newest, isText);
  }
}
