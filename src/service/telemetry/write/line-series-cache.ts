import { detachText } from '../../platform/detach-text.ts';
import { KINDS } from '../store/sample-columns.ts';
import { fieldMetric, readLineSeries, type LineSeries } from './line-series.ts';
import { hashSeries, type SeriesHashes } from './metric-owners.ts';

export type Field = {
  /** As in the line, with its `=`. */
  readonly start: string;
  readonly metric: string;
  readonly hashes: SeriesHashes;
  /** The number of its series by kind, and the generation in which the numbers hold. */
  readonly series: Int32Array;
  generation: number;
  /** Why its samples are rejected: another series of the body has its metric. */
  duplicate: string | undefined;
};

/** The series of lines with the same measurement and tags. */
export type KnownLineSeries = {
  readonly series: LineSeries;
  readonly fields: Map<string, Field>;
  /** The fields of the last line: the next one mostly has the same. */
  readonly order: Field[];
  /** The number of the device, or INVALID, and the generation in which it holds. */
  device: number;
  generation: number;
};

/** The size limit of the caches of a thread, in characters. An entry takes more than its texts. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const CHARACTERS_PER_ENTRY = 200;

/** The series of the lines that this thread has read: senders send the same series again and again. */
export class LineSeriesCache {
  static readonly #byTags = new Map<string, LineSeriesCache>();
  static #characters = 0;
  readonly #deviceTags: readonly string[];
  readonly #series = new Map<string, KnownLineSeries>();

  private constructor(deviceTags: readonly string[]) {
    this.#deviceTags = deviceTags;
  }

  /** `deviceTags`: the tags that may name the device, the preferred one first. */
  static of(deviceTags: readonly string[]): LineSeriesCache {
    const key = deviceTags.join();
    const cache = LineSeriesCache.#byTags.get(key) ?? new LineSeriesCache(deviceTags);
    LineSeriesCache.#byTags.set(key, cache);
    return cache;
  }

  static #count(...texts: readonly string[]): void {
    for (const text of texts) LineSeriesCache.#characters += text.length + CHARACTERS_PER_ENTRY;
    if (LineSeriesCache.#characters <= MAX_CHARACTERS) return;
    for (const cache of LineSeriesCache.#byTags.values()) cache.#series.clear();
    LineSeriesCache.#characters = 0;
  }

  /** `start`: the measurement and tags of a line. @throws InvalidLine */
  find(start: string): KnownLineSeries {
    return this.#series.get(start) ?? this.#add(detachText(start));
  }

  /** `start`: a field of a line with its `=`. */
  findField(known: KnownLineSeries, start: string): Field {
    return known.fields.get(start) ?? this.#addField(known, detachText(start));
  }

  #add(start: string): KnownLineSeries {
    const series = readLineSeries(start, this.#deviceTags);
    const known = { series, fields: new Map(), order: [], device: 0, generation: 0 };
    LineSeriesCache.#count(start);
    this.#series.set(start, known);
    return known;
  }

  #addField({ series, fields }: KnownLineSeries, start: string): Field {
    const { metric, identity } = fieldMetric(series, start.slice(0, -1));
    const field: Field = {
      start,
      metric: detachText(metric),
      hashes: hashSeries(series.device, metric, identity),
      series: new Int32Array(KINDS.length),
      generation: 0,
      duplicate: undefined,
    };
    LineSeriesCache.#count(start, metric);
    fields.set(start, field);
    return field;
  }
}
