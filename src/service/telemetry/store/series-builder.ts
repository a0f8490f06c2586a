import { growArray } from './grow-array.ts';
import { KINDS, type SeriesColumns } from './sample-columns.ts';

const FIRST_CAPACITY = 256;

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

  /** Number of series. */
  get length(): number {
    return this.#length;
  }

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
    this.#device = growArray(this.#device);
    this.#metricKind = growArray(this.#metricKind);
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
