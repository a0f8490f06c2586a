import type { Across } from '#contract/across.ts';
import type { CombinedAggregate, CombinedColumn, CombinedSeries, StoredSeries } from './telemetry-store.ts';

const combineValues: Record<Across, (a: number, b: number) => number> = {
  mean: (a, b) => a + b,
  sum: (a, b) => a + b,
  min: Math.min,
  max: Math.max,
  count: (a, b) => a + b,
};

/** The buckets of one device, to combine with others. */
export const toCombinedSeries = (
  series: StoredSeries,
  aggregates: readonly CombinedAggregate[],
): CombinedSeries => {
  const { device, metric, unit, ts } = series;
  const columnOf = (name: CombinedAggregate): CombinedColumn => {
    const column = series[name] ?? [];
    const values = column instanceof Float64Array ? column : Float64Array.from(column, Number);
    const devices = new Float64Array(values.length);
    for (let i = 0; i < values.length; i += 1) devices[i] = Number.isNaN(values[i]) ? 0 : 1;
    return { values, devices };
  };
  return {
    metric,
    devices: ts.length === 0 ? [] : [device],
    units: ts.length === 0 ? [] : [unit],
    ts,
    count: new Float64Array(ts.length).fill(1),
    columns: Object.fromEntries(aggregates.map((name) => [name, columnOf(name)])),
  };
};

type GrowingColumn = { readonly values: number[]; readonly devices: number[] };

/** Combines parts of one metric, in any order. */
class Combination {
  readonly #metric: string;
  readonly #across: Across;
  readonly #devices: string[] = [];
  readonly #units: (string | null)[] = [];
  /** The row of each bucket, by its start. */
  readonly #rows = new Map<number, number>();
  readonly #count: number[] = [];
  readonly #columns = new Map<CombinedAggregate, GrowingColumn>();

  constructor(metric: string, across: Across) {
    this.#metric = metric;
    this.#across = across;
  }

  add({ devices, units, ts, count, columns }: CombinedSeries): void {
    this.#devices.push(...devices);
    this.#units.push(...units);
    const rows = new Uint32Array(ts.length);
    for (let i = 0; i < ts.length; i += 1) {
      rows[i] = this.#rowOf(ts[i]!);
      this.#count[rows[i]!]! += count[i]!;
    }
    for (const name of Object.keys(columns) as CombinedAggregate[])
      this.#addColumn(this.#columnOf(name), columns[name]!, rows);
  }

  build(): CombinedSeries {
    const ordered = [...this.#rows].toSorted(([a], [b]) => a - b);
    const inOrder = (column: readonly number[]) => {
      const sorted = new Float64Array(ordered.length);
      for (let i = 0; i < ordered.length; i += 1) sorted[i] = column[ordered[i]![1]] ?? 0;
      return sorted;
    };
    return {
      metric: this.#metric,
      devices: this.#devices,
      units: this.#units,
      ts: Float64Array.from(ordered, ([start]) => start),
      count: inOrder(this.#count),
      columns: Object.fromEntries(
        [...this.#columns].map(([name, { values, devices }]) => [
          name,
          { values: inOrder(values), devices: inOrder(devices) },
        ]),
      ),
    };
  }

  #rowOf(start: number): number {
    const known = this.#rows.get(start);
    if (known !== undefined) return known;
    this.#rows.set(start, this.#count.length);
    return this.#count.push(0) - 1;
  }

  #columnOf(name: CombinedAggregate): GrowingColumn {
    const column = this.#columns.get(name) ?? { values: [], devices: [] };
    this.#columns.set(name, column);
    return column;
  }

  #addColumn(to: GrowingColumn, { values, devices }: CombinedColumn, rows: Uint32Array): void {
    const combine = combineValues[this.#across];
    for (let i = 0; i < rows.length; i += 1) {
      const deviceCount = devices[i]!;
      if (deviceCount === 0) continue;
      const row = rows[i]!;
      const before = to.devices[row] ?? 0;
      to.values[row] = before === 0 ? values[i]! : combine(to.values[row]!, values[i]!);
      to.devices[row] = before + deviceCount;
    }
  }
}

/** Combines the parts of each metric, in the order of the metrics' names. */
export class DeviceCombiner {
  readonly #across: Across;
  readonly #metrics = new Map<string, Combination>();

  constructor(across: Across) {
    this.#across = across;
  }

  add(part: CombinedSeries): void {
    const combination = this.#metrics.get(part.metric) ?? new Combination(part.metric, this.#across);
    this.#metrics.set(part.metric, combination);
    combination.add(part);
  }

  /** Builds one series after another, and frees each. */
  *build(): Generator<CombinedSeries, void> {
    for (const metric of [...this.#metrics.keys()].toSorted()) {
      const combination = this.#metrics.get(metric)!;
      this.#metrics.delete(metric);
      yield combination.build();
    }
  }
}
