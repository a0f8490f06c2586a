import type { MetricKind, Value } from '#contract/telemetry.ts';

/** Kinds by the number that stands for them in a column. */
export const KINDS: readonly MetricKind[] = ['number', 'boolean', 'string'];
export const KIND = { number: 0, boolean: 1, string: 2 } as const satisfies Record<MetricKind, number>;

export type SeriesKey = { readonly device: string; readonly metric: string; readonly kind: MetricKind };

/**
 * Series as columns: series `s` is the metric `metrics[metric[s]]` of the device `devices[device[s]]`, and its values
 * have the kind `KINDS[kind[s]]`. No two series have the same device, metric and kind.
 */
export type SeriesColumns = {
  readonly devices: readonly string[];
  readonly metrics: readonly string[];
  readonly device: Uint32Array;
  readonly metric: Uint32Array;
  readonly kind: Uint8Array;
};

/**
 * Values as columns, which move between threads without a copy: value `i` belongs to series `index[i]`, at `ts[i]` epoch ms. Its
 * cell is a finite number, 0 or 1 for a boolean, or the position of a text in `texts`.
 */
export type SampleColumns = {
  readonly series: SeriesColumns;
  readonly index: Uint32Array;
  readonly ts: Float64Array;
  readonly cells: Float64Array;
  readonly texts: readonly string[];
};

export const seriesAt = (
  { devices, metrics, device, metric, kind }: SeriesColumns,
  s: number,
): SeriesKey => ({
  device: devices[device[s]!]!,
  metric: metrics[metric[s]!]!,
  kind: KINDS[kind[s]!]!,
});

export const valueAt = ({ series, index, cells, texts }: SampleColumns, i: number): Value => {
  const cell = cells[i]!;
  switch (series.kind[index[i]!]) {
    case KIND.number:
      return cell;
    case KIND.boolean:
      return cell === 1;
    default:
      return texts[cell]!;
  }
};

const FIRST_CAPACITY = 256;

export const grownUint32 = (column: Uint32Array): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(column.length * 2);
  larger.set(column);
  return larger;
};
export const grownFloat64 = (column: Float64Array): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
};

/** Odd and different in each process, so that no sender can choose names that share a slot. */
const SEEDS = Array.from({ length: 2 }, () => Math.floor(Math.random() * 2 ** 31) * 2 + 1) as [
  number,
  number,
];

/** Numbers devices, metrics and series in the order of their first use. */
export class SeriesBuilder {
  readonly #devices = new Map<string, number>();
  readonly #metrics = new Map<string, number>();
  #device = new Uint32Array(FIRST_CAPACITY);
  /** The metric and kind of each series: `3 × metric + kind`. */
  #metricKind = new Uint32Array(FIRST_CAPACITY);
  #length = 0;
  /** A hash table of series by device, metric and kind: the number of a series plus one; 0 is free. At most half full. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2);

  deviceNumber(device: string): number {
    return numberIn(this.#devices, device);
  }

  metricNumber(metric: string): number {
    return numberIn(this.#metrics, metric);
  }

  /** The number of a series, by the numbers of its device, metric and kind. */
  seriesNumber(device: number, metric: number, kind: number): number {
    const metricKind = metric * KINDS.length + kind;
    const mask = this.#slots.length - 1;
    let slot = hashOf(device, metricKind) & mask;
    for (let found = this.#slots[slot]!; found !== 0; found = this.#slots[slot]!) {
      if (this.#device[found - 1] === device && this.#metricKind[found - 1] === metricKind) return found - 1;
      slot = (slot + 1) & mask;
    }
    if (this.#length === this.#device.length) {
      this.#grow();
      return this.seriesNumber(device, metric, kind);
    }
    this.#device[this.#length] = device;
    this.#metricKind[this.#length] = metricKind;
    this.#length += 1;
    this.#slots[slot] = this.#length;
    return this.#length - 1;
  }

  columns(): SeriesColumns {
    const metric = new Uint32Array(this.#length);
    const kind = new Uint8Array(this.#length);
    for (let s = 0; s < this.#length; s += 1) {
      const metricKind = this.#metricKind[s]!;
      kind[s] = metricKind % KINDS.length;
      metric[s] = (metricKind - kind[s]!) / KINDS.length;
    }
    return {
      devices: [...this.#devices.keys()],
      metrics: [...this.#metrics.keys()],
      device: this.#device.slice(0, this.#length),
      metric,
      kind,
    };
  }

  #grow(): void {
    this.#device = grownUint32(this.#device);
    this.#metricKind = grownUint32(this.#metricKind);
    this.#slots = new Uint32Array(this.#device.length * 2);
    const mask = this.#slots.length - 1;
    for (let s = 0; s < this.#length; s += 1) {
      let slot = hashOf(this.#device[s]!, this.#metricKind[s]!) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = s + 1;
    }
  }
}

const numberIn = (numbers: Map<string, number>, name: string): number => {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
};

const hashOf = (device: number, metricKind: number): number => {
  const mixed = Math.imul(device + 1, SEEDS[0]) ^ Math.imul(metricKind + 1, SEEDS[1]);
  return mixed ^ (mixed >>> 15);
};
