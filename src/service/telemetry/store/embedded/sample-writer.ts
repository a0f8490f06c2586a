import type { MetricKind } from '#contract/telemetry.ts';
import type { DamagedData } from '../../../platform/storage/damaged-file.ts';
import { inTransaction, type DatabaseSync } from '../../../platform/storage/dialects/sqlite.ts';
import type { Journal } from './journal.ts';
import type { PackedResult } from './packed-batch.ts';
import type { RecentSamples, RecentSeries } from './recent-samples.ts';
import type { SeriesTable } from './series-table.ts';
import { growArray } from '../grow-array.ts';
import { KINDS, type Cell, type SeriesColumns } from '../sample-columns.ts';
import { MAX_REPLACED, OUTCOME, type WriteBatch } from '../telemetry-store.ts';

/** Series cached at most. */
const MAX_KNOWN = 50_000;

type KnownSeries = { readonly id: number; readonly kind: MetricKind };

/** The samples of a transaction that are new or replace others, as columns for the journal. */
class Changes {
  #series = new Uint32Array(1_024);
  #ts = new Float64Array(1_024);
  #cells = new Float64Array(1_024);
  readonly #texts: string[] = [];
  length = 0;
  added = 0;

  push(series: number, ts: number, cell: Cell): void {
    if (this.length === this.#ts.length) this.#grow();
    this.#series[this.length] = series;
    this.#ts[this.length] = ts;
    this.#cells[this.length] = typeof cell === 'string' ? this.#texts.push(cell) - 1 : cell;
    this.length += 1;
  }

  columns() {
    return {
      series: this.#series.subarray(0, this.length),
      ts: this.#ts.subarray(0, this.length),
      cells: this.#cells.subarray(0, this.length),
      texts: this.#texts,
    };
  }

  #grow(): void {
    this.#series = growArray(this.#series);
    this.#ts = growArray(this.#ts);
    this.#cells = growArray(this.#cells);
  }
}

type Dependencies = {
  readonly db: DatabaseSync;
  readonly series: SeriesTable;
  readonly recent: RecentSamples;
  readonly journal: Journal;
  readonly metricsPerDevice?: number | undefined;
};

/** Writes batches into the journal and the samples in memory. */
export class SampleWriter {
  readonly #db: DatabaseSync;
  readonly #series: SeriesTable;
  readonly #recent: RecentSamples;
  readonly #journal: Journal;
  /** By device, then by metric. */
  readonly #known = new Map<string, Map<string, KnownSeries>>();
  #knownSeries = 0;
  /** The number of metrics of the devices that got new ones. */
  readonly #metricCounts = new Map<string, number>();
  readonly #metricsPerDevice: number;

  constructor({ db, series, recent, journal, metricsPerDevice = Infinity }: Dependencies) {
    this.#db = db;
    this.#series = series;
    this.#recent = recent;
    this.#journal = journal;
    this.#metricsPerDevice = metricsPerDevice;
  }

  /**
   * Writes batches in one transaction. If it throws, no sample is stored, and the samples in memory must be read again
   * from the journal.
   */
  write(batches: readonly WriteBatch[]): PackedResult[] {
    if (this.#knownSeries > MAX_KNOWN) this.forget();
    const changes = new Changes();
    return inTransaction(this.#db, () => {
      const results = batches.map((batch) => this.#apply(batch, changes));
      if (changes.length > 0) this.#journal.append(changes.columns(), changes.added);
      return results;
    });
  }

  /** The error of a batch with a sample that belongs within a chunk that is known as damaged. */
  findDamage({ series: keys, index, ts }: WriteBatch): DamagedData | undefined {
    /** By series of the batch; null: it has no samples yet. */
    const found = new Map<number, RecentSeries | null>();
    for (let i = 0; i < index.length; i += 1) {
      const s = index[i]!;
      if (!found.has(s)) found.set(s, this.#findSeries(keys, s));
      const series = found.get(s)!;
      if (series === null || ts[i]! > series.chunksEnd) continue;
      const damage = series.findDamage(ts[i]!);
      if (damage !== undefined) return damage;
    }
    return undefined;
  }

  #findSeries({ devices, metrics, device, metric }: SeriesColumns, s: number): RecentSeries | null {
    const found = this.#series.find(devices[device[s]!]!, metrics[metric[s]!]!);
    return found === undefined ? null : this.#recent.getOrCreate(found.id, found.kind);
  }

  /** Call after a removal or a failed transaction: cached series may be gone. */
  forget(): void {
    this.#known.clear();
    this.#knownSeries = 0;
    this.#metricCounts.clear();
  }

  #apply({ series: keys, units, index, ts, cells, texts }: WriteBatch, changes: Changes): PackedResult {
    const { kind: kinds } = keys;
    /** By device of the batch: its known series. */
    const known: (Map<string, KnownSeries> | undefined)[] = [];
    /** Null: over the limit. */
    const found = Array.from<RecentSeries | null | undefined>({ length: kinds.length });
    /** The last time of each series that is known. */
    const lastTs = new Float64Array(kinds.length);
    const outcome = new Uint8Array(index.length);
    /** By series, the latest last. */
    const replaced = new Map<number, readonly [position: number, before: Cell]>();
    for (let i = 0; i < index.length; i += 1) {
      const s = index[i]!;
      const given = KINDS[kinds[s]!]!;
      let series = found[s];
      if (series === undefined) {
        // A series is created with its first sample, so that a batch can name series without samples.
        const ofDevice = (known[keys.device[s]!] ??= this.#knownOf(keys.devices[keys.device[s]!]!));
        series = this.#getSeries(keys, s, ofDevice, units?.[s] ?? null);
        found[s] = series;
        lastTs[s] = series?.lastTs ?? -Infinity;
      }
      if (series === null) {
        outcome[i] = OUTCOME.metricLimit;
        continue;
      }
      if (series.kind !== given) {
        outcome[i] = OUTCOME.kindMismatch;
        continue;
      }
      const time = ts[i]!;
      const cell = given === 'string' ? texts[cells[i]!]! : cells[i]!;
      // Most samples are later than all of their series: nothing has to be looked up for them.
      const before = time > lastTs[s]! ? undefined : series.find(time);
      if (before === undefined) changes.added += 1;
      else if (before === cell) {
        outcome[i] = OUTCOME.duplicate;
        continue;
      } else {
        outcome[i] = OUTCOME.overwritten;
        replaced.delete(s);
        replaced.set(s, [i, before]);
        if (replaced.size > MAX_REPLACED) replaced.delete(replaced.keys().next().value!);
      }
      this.#recent.add(series, time, cell);
      changes.push(series.id, time, cell);
      if (time > lastTs[s]!) lastTs[s] = time;
    }
    return {
      outcome,
      kinds: kinds.map((given, s) => (found[s] == null ? given : KINDS.indexOf(found[s].kind))),
      ...(replaced.size > 0 && { replaced: [...replaced.values()] }),
    };
  }

  /** The known series of a device, by metric. */
  #knownOf(device: string): Map<string, KnownSeries> {
    const known = this.#known.get(device) ?? new Map<string, KnownSeries>();
    this.#known.set(device, known);
    return known;
  }

  /** Null for a new series beyond the limit. */
  #getSeries(
    keys: SeriesColumns,
    s: number,
    ofDevice: Map<string, KnownSeries>,
    unit: string | null,
  ): RecentSeries | null {
    const [device, metric] = [keys.devices[keys.device[s]!]!, keys.metrics[keys.metric[s]!]!];
    const known = ofDevice.get(metric);
    if (known !== undefined) return this.#recent.getOrCreate(known.id, known.kind);
    const found = this.#series.find(device, metric);
    if (found === undefined && !this.#countNew(device)) return null;
    const { id, kind } = found ?? this.#series.insert({ device, metric, kind: KINDS[keys.kind[s]!]!, unit });
    ofDevice.set(metric, { id, kind });
    this.#knownSeries += 1;
    return this.#recent.getOrCreate(id, kind, found === undefined);
  }

  /** Counts a new metric of a device; returns false if it may have no more. */
  #countNew(device: string): boolean {
    const metrics = this.#metricCounts.get(device) ?? this.#series.count([device], undefined);
    const isAllowed = metrics < this.#metricsPerDevice;
    this.#metricCounts.set(device, metrics + Number(isAllowed));
    return isAllowed;
  }
}
