import { KIND } from '../store/sample-columns.ts';
import type { LabelledSeries } from './labelled-series.ts';
import { hashSeries, MetricOwners } from './metric-owners.ts';
import { INVALID, type SampleParser } from './read-samples.ts';

const SHOWN_CHARACTERS = 60;

/** The labels that may name the device, the preferred one first, and the variable of the configuration that lists them. */
export type DeviceLabels = {
  readonly names: readonly string[];
  readonly variable: string;
  readonly noun: 'label' | 'attribute';
};

/** Adds the samples of series with labels, one series after another. */
export class LabelledSeriesWriter {
  readonly #deviceLabels: DeviceLabels;
  readonly #owners = new MetricOwners();
  #parser: SampleParser | undefined;
  #series: LabelledSeries | undefined;
  #index = 0;
  /** The number of the series in the columns of `#parser`. */
  #number = INVALID;

  constructor(deviceLabels: DeviceLabels) {
    this.#deviceLabels = deviceLabels;
  }

  /** Begins a series of `count` samples. Returns false, and rejects them, if they have no device or metric. */
  begin(parser: SampleParser, index: number, series: LabelledSeries, count: number): boolean {
    const { device, metric, identity } = series;
    this.#index = index;
    this.#series = series;
    this.#parser = undefined;
    const { names, variable, noun } = this.#deviceLabels;
    if (device === undefined) {
      const detail = `${metric} has none of the ${noun}s ${names.join(', ')}, which name the device. Add one, or set ${variable}.`;
      parser.reject(index, [], 'device-missing', detail, count);
    } else if (parser.deviceNumber(device) === INVALID) {
      const detail = `${metric} has the ${noun} ${series.deviceLabel} ${JSON.stringify(device.slice(0, SHOWN_CHARACTERS))}, which cannot be a device ID: device IDs have 1 to 128 letters, digits and . _ : - Add another ${noun}, and list it first in ${variable}.`;
      parser.reject(index, [], 'invalid-device', detail, count);
    } else if (!this.#owners.claim(hashSeries(device, metric, identity))) {
      const detail = `Another series in this body also maps to the metric ${metric}. Rename a ${noun}.`;
      parser.reject(index, ['values', metric], 'duplicate-metric', detail, count);
    } else return true;
    return false;
  }

  /** Adds a sample of the series that began. `ts`: as the parser reads it. NaN and infinity are not values. */
  add(parser: SampleParser, ts: number, value: number): void {
    const ms = Number.isFinite(value) ? parser.readTs(this.#index, ts, 1) : Number.NaN;
    if (ms !== undefined) this.addAt(parser, ms, value);
  }

  /** Adds a sample of the series that began. `ms`: epoch ms; NaN: the time of arrival. NaN and infinity are not values. */
  addAt(parser: SampleParser, ms: number, value: number): void {
    if (!Number.isFinite(value)) {
      parser.columns.noValues += 1;
      return;
    }
    const { device, metric } = this.#series!;
    if (parser !== this.#parser) {
      this.#parser = parser;
      this.#number = parser.seriesNumber(parser.deviceNumber(device), metric, KIND.number);
    }
    if (this.#number === INVALID) parser.addValue(this.#index, INVALID, ms, metric, value);
    else parser.columns.addCell(this.#index, this.#number, ms, value);
  }
}
