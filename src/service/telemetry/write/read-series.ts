import type { SampleParser, WrittenSeries } from './read-samples.ts';

const FIELDS: ReadonlySet<string> = new Set(['device', 'metric', 'ts', 'values']);
/** A slice ends between two steps of this many samples. */
const SAMPLES_PER_STEP = 1_000;

/** Why all samples of a series are rejected. */
type Fault = {
  readonly path: readonly string[];
  readonly code: 'invalid-series' | 'unknown-field';
  readonly detail: string;
  readonly rejected: number;
};

const fault = (path: readonly string[], detail: string, rejected = 1): Fault => ({
  path,
  code: 'invalid-series',
  detail,
  rejected,
});

const readForm = (given: unknown): WrittenSeries | Fault => {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fault([], 'Must be an object with device, metric, ts and values.');
  const { device, metric, ts, values } = given as Record<string, unknown>;
  if (!Array.isArray(values)) return fault(['values'], 'Must be a list of values.');
  const { length } = values;
  const field = Object.keys(given).find((name) => !FIELDS.has(name));
  if (field !== undefined)
    return {
      ...fault([field], 'Unknown field. The fields are device, metric, ts and values.', length),
      code: 'unknown-field',
    };
  if (typeof metric !== 'string') return fault(['metric'], 'Must be the name of a metric.', length);
  if (!Array.isArray(ts)) return fault(['ts'], 'Must be a list of timestamps.', length);
  if (ts.length !== length)
    return fault(['ts'], `Must have as many timestamps as values (${length}).`, length);
  return { device, metric, ts, values };
};

/** Adds the series of `{ series: [...] }` to the current reader, in steps that may end a slice. */
export const addSeries = function* (list: unknown[], reader: () => SampleParser): Generator<void> {
  for (const [index, given] of list.entries()) {
    // So that its memory can be freed.
    list[index] = undefined;
    const series = readForm(given);
    if ('rejected' in series) {
      const { path, code, detail, rejected } = series;
      reader().rejectSeries(index, path, code, detail, rejected);
      yield;
    } else
      for (let from = 0; from < series.values.length; from += SAMPLES_PER_STEP) {
        reader().addColumns(index, series, from, Math.min(from + SAMPLES_PER_STEP, series.values.length));
        yield;
      }
  }
};
