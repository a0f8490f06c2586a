import { growArray } from './grow-array.ts';
import { HASH_SEEDS } from './hash-seeds.ts';
import { KINDS, type SeriesColumns } from './sample-columns.ts';

const FIRST_CAPACITY = 256;

/** Numbers devices, metrics and series in the order of their first use. Its columns may be longer than their content. */
export class SeriesBuilder implements SeriesColumns {
  readonly devices: string[] = [];
  readonly metrics: string[] = [];
  device = new Uint32Array(FIRST_CAPACITY);
  metric = new Uint32Array(FIRST_CAPACITY);
  kind = new Uint8Array(FIRST_CAPACITY);
  readonly #devices = new Map<string, number>();
  readonly #metrics = new Map<string, number>();
  #length = 0;
  /** A hash table of series by device, metric and kind: the number of a series plus one; 0 is free. At most half full. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2);

  /** Number of series. */
  get length(): number {
    return this.#length;
  }

  deviceNumber(device: string): number {
    return numberIn(this.#devices, this.devices, device);
  }

  metricNumber(metric: string): number {
    return numberIn(this.#metrics, this.metrics, metric);
  }

  /** The number of a series, by the numbers of its device, metric and kind. */
  seriesNumber(device: number, metric: number, kind: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(device, metric, kind) & mask;
    for (let found = this.#slots[slot]!; found !== 0; found = this.#slots[slot]!) {
      const s = found - 1;
      if (this.device[s] === device && this.metric[s] === metric && this.kind[s] === kind) return s;
      slot = (slot + 1) & mask;
    }
    if (this.#length === this.device.length) {
      this.#grow();
      return this.seriesNumber(device, metric, kind);
    }
    this.device[this.#length] = device;
    this.metric[this.#length] = metric;
    this.kind[this.#length] = kind;
    this.#length += 1;
    this.#slots[slot] = this.#length;
    return this.#length - 1;
  }

  columns(): SeriesColumns {
    return {
      devices: [...this.devices],
      metrics: [...this.metrics],
      device: this.device.slice(0, this.#length),
      metric: this.metric.slice(0, this.#length),
      kind: this.kind.slice(0, this.#length),
    };
  }

  #grow(): void {
    this.device = growArray(this.device);
    this.metric = growArray(this.metric);
    this.kind = growArray(this.kind);
    this.#slots = new Uint32Array(this.device.length * 2);
    const mask = this.#slots.length - 1;
    for (let s = 0; s < this.#length; s += 1) {
      let slot = hashOf(this.device[s]!, this.metric[s]!, this.kind[s]!) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = s + 1;
    }
  }
}

const numberIn = (numbers: Map<string, number>, names: string[], name: string): number => {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, names.length);
  return names.push(name) - 1;
};

const hashOf = (device: number, metric: number, kind: number): number => {
  const mixed =
    Math.imul(device + 1, HASH_SEEDS[0]) ^ Math.imul(metric * KINDS.length + kind + 1, HASH_SEEDS[1]);
  return mixed ^ (mixed >>> 15);
};
